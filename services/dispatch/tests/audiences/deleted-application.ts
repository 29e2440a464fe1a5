import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { content, control, env, freshUsers, idOf, lists } from './stack.ts'

test('the deletion of an application cancels its broadcasts, running or paused', async () => {
  const application = await addApplication(env)
  const { apiKey: key } = await addKey(env, application, { permissions: ['lists:manage'] })
  const { list_id } = (await postUntilTaken(env, '/api/v1/lists', { name: 'Customers' }, { key })).body
  const members = { members: freshUsers(3).map(idOf) }
  expect((await lists('PUT', `/${list_id}/members`, members, { key })).status).toBe(200)
  const broadcast = async (): Promise<string> => {
    const { status, body } = await postUntilTaken(env, `/api/v1/lists/${list_id}/notifications`, content, { key })
    expect(status).toBe(202)
    return body.broadcast_id
  }
  // The worker would accept the whole broadcast before the deletion.
  await env.kill('dispatch-worker', 'SIGSTOP')
  const ids: string[] = []
  try {
    ids.push(await broadcast(), await broadcast())
    expect((await control(ids[0]!, 'pause', { key })).body.status).toBe('paused')
    await env.admin.query(`update dispatch.broadcasts set next_page_at = now() + interval '1 hour' where id = $1`, [
      ids[1],
    ])
  } finally {
    await env.kill('dispatch-worker', 'SIGCONT')
  }
  const token = env.operatorToken
  const path = `/api/v1/applications/${application.applicationId}`
  expect((await env.api('DELETE', path, { token })).status).toBe(204)
  await eventually(async () => {
    const found = await Promise.all(ids.map((id) => env.api('GET', `/api/v1/broadcasts/${id}`, { token })))
    expect(found.map(({ body }) => [body.status, body.finished_at === null])).toEqual(
      ids.map(() => ['cancelled', false]),
    )
  })
  await env.admin.query('update dispatch.broadcasts set next_page_at = now() where id = any ($1)', [ids])
  await eventually(async () => {
    const { rows } = await env.admin.query(
      'select pages, accepted, refusals, next_page_at from dispatch.broadcasts where id = any ($1)',
      [ids],
    )
    expect(rows).toEqual(ids.map(() => ({ pages: 1, accepted: 0, refusals: {}, next_page_at: null })))
  })
})
