import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { addList, content, env, freshUsers, idOf, listOf, lists } from './stack.ts'

describe('a list', () => {
  test('is created, renamed and deleted', async () => {
    const { status, body } = await lists('POST', '', { name: ' Customers ' })
    expect([status, body]).toMatchObject([201, { name: 'Customers', member_count: 0, mode: 'live' }])
    const path = `/${body.list_id}`
    expect((await lists('PATCH', path, { name: 'Guests' })).body).toMatchObject({ name: 'Guests' })
    expect((await lists('GET', '?limit=1')).body.items).toMatchObject([{ list_id: body.list_id, name: 'Guests' }])
    expect((await lists('DELETE', path)).status).toBe(204)
    for (const method of ['GET', 'DELETE']) expectProblem(await lists(method, path), 404, 'list_not_found')
    expect((await lists('GET')).text).not.toContain(body.list_id)
  })

  test('counts each member once, and is exported whole', async () => {
    const id = await addList()
    const users = freshUsers(1000)
    const first = await lists('PUT', `/${id}/members`, { members: users.map(idOf) })
    expect(first.body).toEqual({ added: 1000, member_count: 1000 })
    const [one = '', another = ''] = users
    const again = {
      members: [{ user_id: one, data: { name: 'Ada' } }, idOf(freshUsers(1)[0]!), idOf(one), idOf(another)],
    }
    const second = await lists('PUT', `/${id}/members`, again)
    expect(second.body).toEqual({ added: 1, member_count: 1001 })
    const remove = () => lists('DELETE', `/${id}/members?user_id=${another}`)
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404])
    expect((await lists('GET', `/${id}`)).body.member_count).toBe(1000)
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await lists('GET', `/${id}/members?limit=600${cursor && `&cursor=${cursor}`}`)
      found.push(...body.items.map(({ user_id }: { user_id: string }) => user_id))
      if (body.next_cursor === null) break
      cursor = body.next_cursor
    }
    expect(new Set(found).size).toBe(1000)
    expect(found).toHaveLength(1000)
    expect(found).toContain(one)
    expect(found).not.toContain(another)
  })

  test('loses the member whose id is a number, although its plus sign was not encoded', async () => {
    const id = await listOf(['+15551230001', ' ada'])
    const remove = (user: string) => lists('DELETE', `/${id}/members?user_id=${user}`)
    expect([(await remove('+15551230001')).status, (await remove('%20ada')).status]).toEqual([204, 204])
    expect((await lists('GET', `/${id}`)).body.member_count).toBe(0)
  })

  test('takes 1,000 members at once with several variables each, but not with any number of them', async () => {
    const id = await addList()
    const put = (variables: number) => {
      const data = Object.fromEntries(Array.from({ length: variables }, (_, at) => [`variable_${at}`, at]))
      const members = freshUsers(1000).map((user_id) => ({ user_id, data }))
      return untilAvailable(() => lists('PUT', `/${id}/members`, { members }))
    }
    const { status, body } = await put(10)
    expect([status, body.detail, body.member_count]).toEqual([200, undefined, 1000])
    const refused = await put(40)
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.detail).toBe('The body has more than 40000 values')
  })

  test('imports at the same moment count each member once', async () => {
    const id = await addList()
    const members = freshUsers(300).map(idOf)
    const all = [members, members.toReversed(), members.slice(100), members.slice(0, 200).toReversed()]
    const put = (members: object[]) => untilAvailable(() => lists('PUT', `/${id}/members`, { members }))
    const answers = await Promise.all(all.map(put))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers.reduce((sum, { body }) => sum + body.added, 0)).toBe(300)
    expect((await lists('GET', `/${id}`)).body.member_count).toBe(300)
  })

  test.each(['', 'list_', '~'])(
    'shows only its own members, even with a cursor that a caller made for the position %j',
    async (position) => {
      await listOf(freshUsers(2))
      const id = await listOf(freshUsers(1))
      await listOf(freshUsers(2))
      const text = JSON.stringify(position)
      const list = `${env.tenantId} /api/v1/lists/${id}/members`
      const tag = createHash('sha256').update(`${list}\n${text}`).digest().subarray(0, 9)
      const cursor = Buffer.concat([Buffer.of(1), tag, Buffer.from(text)]).toString('base64url')
      const { status, body } = await lists('GET', `/${id}/members?cursor=${cursor}`)
      expect([status, body.items.length]).toEqual([200, position === '~' ? 0 : 1])
    },
  )

  test('has a largest number of members, and of members in an import', async () => {
    const id = await listOf(freshUsers(1000))
    expectProblem(
      await lists('PUT', `/${id}/members`, { members: freshUsers(501).map(idOf) }),
      409,
      'member_limit_reached',
    )
    const users = freshUsers(500)
    for (const added of [500, 0])
      expect((await lists('PUT', `/${id}/members`, { members: users.map(idOf) })).body.added).toBe(added)
    const [one = '', other = ''] = freshUsers(2)
    const more = await lists('PUT', `/${id}/members`, { members: [users[0]!, one].map(idOf) })
    expectProblem(more, 409, 'member_limit_reached')
    expect((await lists('DELETE', `/${id}/members?user_id=${users[0]}`)).status).toBe(204)
    expect((await lists('PUT', `/${id}/members`, { members: [idOf(other)] })).body.member_count).toBe(1500)
    expect((await lists('DELETE', `/${id}/members?user_id=${one}`)).status).toBe(404)
    for (const members of [[], freshUsers(1001).map(idOf), [{ user_id: 'ada', data: { text: 'x'.repeat(5000) } }]])
      expectProblem(await lists('PUT', `/${id}/members`, { members }), 422, 'validation_failed')
  })

  test('is seen by its application and key mode alone, and by operators', async () => {
    const id = await listOf(freshUsers(1))
    const application = await addApplication(env)
    const { apiKey: other } = await addKey(env, application, { permissions: ['lists:manage'] })
    const { apiKey: tested } = await addKey(env, env, { mode: 'test', permissions: ['lists:manage'] })
    const { apiKey: weak } = await addKey(env, env, { permissions: ['notifications:send', 'recipients:manage'] })
    for (const key of [other, tested]) {
      expectProblem(await lists('GET', `/${id}`, undefined, { key }), 404, 'list_not_found')
      expectProblem(await lists('POST', `/${id}/notifications`, content, { key }), 404, 'list_not_found')
      expect((await lists('GET', '', undefined, { key })).body.items).toEqual([])
    }
    expectProblem(await lists('GET', `/${id}`, undefined, { key: weak }), 403, 'permission_denied')
    expect((await lists('GET', `/${id}`, undefined, { token: env.operatorToken })).status).toBe(200)
  })

  test('and its broadcasts are filtered by mode for operators', async () => {
    const { apiKey: key } = await addKey(env, env, {
      mode: 'test',
      permissions: ['lists:manage', 'notifications:send'],
    })
    const [live, tested] = [
      await listOf(freshUsers(1)),
      (await lists('POST', '', { name: 'Tried' }, { key })).body.list_id,
    ]
    const started = await lists('POST', `/${tested}/notifications`, content, { key })
    expect(started.status).toBe(202)
    const asOperator = { token: env.operatorToken }
    const idsOf = async (query: string) => {
      const { body } = await lists('GET', `?limit=100${query}`, undefined, asOperator)
      return body.items.map((list: { list_id: string }) => list.list_id)
    }
    expect(await idsOf('')).toEqual(expect.arrayContaining([live, tested]))
    expect(await idsOf('&mode=test')).toContain(tested)
    expect(await idsOf('&mode=test')).not.toContain(live)
    expect(await idsOf('&mode=live')).not.toContain(tested)
    const broadcasts = (mode: string) => env.api('GET', `/api/v1/broadcasts?list_id=${tested}&mode=${mode}`, asOperator)
    expect((await broadcasts('test')).body.items).toMatchObject([{ broadcast_id: started.body.broadcast_id }])
    expect((await broadcasts('live')).body.items).toEqual([])
  })
})
