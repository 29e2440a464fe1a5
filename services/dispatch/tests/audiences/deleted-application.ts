import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { createPrincipalSigner, principalHeader } from '@notify/service-kit'
import { becomeDue, inAnHour, postUntilTaken } from '@notify/test-kit/api'
import { type Application, addApplication, addKey, newKeyPrincipal } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { content, control, env, freshUsers, idOf, lists, notificationsOf } from './stack.ts'

/** An application with a list of three users. */
async function withList() {
  const application = await addApplication(env)
  const { apiKey: key } = await addKey(env, application, { permissions: ['lists:manage', 'recipients:manage'] })
  const { list_id } = (await postUntilTaken(env, '/api/v1/lists', { name: 'Customers' }, { key })).body
  const users = freshUsers(3)
  for (const user of users)
    expect((await env.api('PUT', `/api/v1/users/${user}`, { key, body: { phone: freshPhone() } })).status).toBe(200)
  expect((await lists('PUT', `/${list_id}/members`, { members: users.map(idOf) }, { key })).status).toBe(200)
  return { application, key, list_id: list_id as string }
}

const remove = async ({ applicationId }: Application) =>
  expect((await env.api('DELETE', `/api/v1/applications/${applicationId}`, { token: env.operatorToken })).status).toBe(
    204,
  )

test('the deletion of an application cancels its broadcasts, running or paused', async () => {
  const { application, key, list_id } = await withList()
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
  await remove(application)
  const token = env.operatorToken
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

test('the notifications of a completed broadcast that wait for their time are not sent after the deletion of its application', async () => {
  const { application, key, list_id } = await withList()
  const body = { ...content, send_at: inAnHour() }
  const { broadcast_id } = (await postUntilTaken(env, `/api/v1/lists/${list_id}/notifications`, body, { key })).body
  await eventually(async () =>
    expect(await notificationsOf(broadcast_id)).toMatchObject([{ status: 'scheduled', count: 3 }]),
  )
  await remove(application)
  await eventually(async () => {
    const ended = 'select from dispatch.ended_applications where application_id = $1'
    expect((await env.admin.query(ended, [application.applicationId])).rows).toHaveLength(1)
  })
  const { rows } = await env.admin.query('select id from dispatch.notifications where broadcast_id = $1', [
    broadcast_id,
  ])
  await becomeDue(env, ...rows.map(({ id }) => id))
  await eventually(async () =>
    expect(await notificationsOf(broadcast_id)).toEqual([
      { status: 'cancelled', failure_reason: 'broadcast_cancelled', count: 3, users: 3 },
    ]),
  )
})

test('a broadcast that a request under way begins after the deletion of its application is cancelled with its first page', async () => {
  const { application, key, list_id } = await withList()
  const path = `/api/v1/lists/${list_id}/notifications`
  const before = (await postUntilTaken(env, path, content, { key })).body.broadcast_id
  const reaches = (id: string, expected: object) =>
    eventually(async () => {
      const state = 'select status, accepted, refusals from dispatch.broadcasts where id = $1'
      expect((await env.admin.query(state, [id])).rows).toEqual([expect.objectContaining(expected)])
    })
  await reaches(before, { status: 'completed', accepted: 3 })
  await env.admin.query(`update dispatch.broadcasts set status = 'paused', finished_at = null where id = $1`, [before])
  await remove(application)
  await reaches(before, { status: 'cancelled' })
  // The gateway may have let it pass with the key that it still knew.
  const sign = await createPrincipalSigner(env.stack.state.principal_signing_key)
  const owner = { tenant_id: application.tenantId, application_id: application.applicationId }
  const headers = { [principalHeader]: await sign(newKeyPrincipal({ ...owner, permissions: ['lists:manage'] })) }
  const { status, body } = await env.call('dispatch-api', 'POST', path, { headers, body: content })
  expect(status).toBe(202)
  await reaches(body.broadcast_id, { status: 'cancelled', accepted: 0, refusals: {} })
})
