import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, post } from '@notify/test-kit/api'
import { emailOf, emailTo, freshAddress } from '@notify/test-kit/email'
import { addTopic, env, follow, lookUp, mail, oneClick, sourceOf } from './stack.ts'

test('a mail of a topic has the headers of one-click unsubscribe, one of a required topic or with copies has none', async () => {
  const [topic, required] = [await addTopic(), await addTopic({ kind: 'required' })]
  const { source, url } = await mail(freshAddress(), topic)
  expect(source).toContain(`List-Unsubscribe: <${url}>`)
  expect(source).toMatch(/List-Unsubscribe-Post: ?List-Unsubscribe=One-Click/)
  const half = await mail(freshAddress(), topic, { headers: { 'list-unsubscribe-post': 'List-Unsubscribe=No' } })
  expect(half.source).toContain(`List-Unsubscribe: <${half.url}>`)
  expect(half.source.match(/^list-unsubscribe-post:.*/gim)).toEqual([
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ])
  const copied = await mail(freshAddress(), topic, { cc: freshAddress() })
  expect(copied.source).not.toContain('List-Unsubscribe')
  const other = await mail(freshAddress(), required)
  expect(other.source).not.toContain('List-Unsubscribe')
  expect(other.url).not.toBe('')
})

test("the demo's offers name the topic of the bootstrap document: one click ends them, and the audit log has it", async () => {
  const topic = 'weekly-offers'
  const to = freshAddress()
  const offer = {
    channel: 'email',
    recipient: to,
    event_key: 'offers.weekly',
    data: { name: 'Ada', offer: 'A new lamp' },
  }
  expect((await post(env, offer)).status).toBe(202)
  const { request, text } = await eventually(() => emailOf(env, to))
  const [url = ''] = /https?:\S+\/u\/[\w-]+/.exec(text) ?? []
  expect(sourceOf(request.body)).toContain(`List-Unsubscribe: <${url}>`)
  expect((await oneClick(url)).status).toBe(200)
  expectProblem(await post(env, offer), 422, 'recipient_opted_out')
  expect((await post(env, { ...offer, event_key: 'invoice.ready', data: { name: 'Ada', order: '1' } })).status).toBe(
    202,
  )
  await eventually(async () => {
    const { body } = await env.api('GET', '/api/v1/audit-log?action=topic.created&limit=100', {
      token: env.operatorToken,
    })
    expect(body.items).toContainEqual(
      expect.objectContaining({ actor: { kind: 'system', id: 'bootstrap' }, resource: { type: 'topic', id: topic } }),
    )
  })
})

test('one click switches the topic off, any number of times; looking changes nothing', async () => {
  const topic = await addTopic({ translations: { de: { name: 'Wochenblatt' } } })
  const to = freshAddress()
  const { url } = await mail(to, topic, { locale: 'de-AT' })
  const shown = await follow(url)
  expect(shown.status).toBe(200)
  expect(shown.headers.get('set-cookie')).toBeNull()
  expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(shown.text).toContain('<html lang="de" dir="ltr">')
  for (const word of ['Wochenblatt', 'Demo Shop', 'Abbestellen']) expect(shown.text).toContain(word)
  expect(shown.text).not.toMatch(/<script|javascript:/i)
  expect(shown.text).not.toContain(to)
  // Scanners of mail follow links, also with HEAD.
  await follow(url, { method: 'HEAD' })
  expect((await lookUp(to)).rules).toEqual([])
  for (let time = 0; time < 3; time++) {
    const done = await oneClick(url)
    expect([done.status, done.headers.get('location')]).toEqual([200, null])
    expect(done.text).toContain('nicht mehr')
  }
  expect((await lookUp(to)).rules).toMatchObject([{ topic, channel: 'email', state: 'off', source: 'one_click' }])
  expectProblem(await post(env, emailTo(to, { topic })), 422, 'recipient_opted_out')
  const { rows } = await env.admin.query(
    'select count(*)::int as count from dispatch.preference_changes where topic = $1',
    [topic],
  )
  expect(rows).toEqual([{ count: 1 }])
})

test('junk is link_not_valid: a problem for programs, a page for people', async () => {
  const { url } = await mail(freshAddress(), await addTopic())
  const base = url.slice(0, url.lastIndexOf('/') + 1)
  for (const junk of ['x', 'A'.repeat(300), `${url.slice(base.length)}A`, url.slice(base.length, -1), '%20', 'a%2Fb']) {
    const page = await follow(base + junk)
    expect([junk, page.status]).toEqual([junk, 404])
    expect(page.text).toContain('This link is not valid')
    const problem = await fetch(base + junk, { method: 'POST', headers: { accept: '*/*' } })
    expect([problem.status, await problem.json()]).toEqual([404, expect.objectContaining({ code: 'link_not_valid' })])
  }
})

test('a link works after the message and the key ring are gone', async () => {
  const topic = await addTopic()
  const to = freshAddress()
  const { url } = await mail(to, topic)
  await env.admin.query('delete from dispatch.notifications where topic = $1', [topic])
  expect((await oneClick(url)).status).toBe(200)
  expectProblem(await post(env, emailTo(to, { topic })), 422, 'recipient_opted_out')
})
