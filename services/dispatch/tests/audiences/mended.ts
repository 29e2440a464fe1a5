import { expect, test } from '@jest/globals'
import { type ApiResponse, eventually } from '@notify/dev-env'
import { asOperator } from '@notify/test-kit/api'
import { addApplication } from '@notify/test-kit/callers'
import { freshAddress } from '@notify/test-kit/email'
import { addUsers, broadcastTo, control, env, freshUsers, listOf, progressOf, until } from './stack.ts'

test('a broadcast without a provider waits for one and loses no member; after HOLD_LIMIT it is paused', async () => {
  const users = freshUsers(3)
  await addUsers(users)
  const listId = await listOf(users)
  await env.kill('dispatch-worker')
  const id = await broadcastTo(listId)
  const providers = `tenant_id = '${env.tenantId}' and channel = 'sms' and subscription_id is null`
  await env.admin.query(`update dispatch.providers set deleted_at = now() where ${providers}`)
  try {
    await env.restart('dispatch-worker')
    await eventually(async () => {
      const { rows } = await env.admin.query(
        `select from dispatch.broadcasts where id = $1 and next_page_at > created_at + interval '4 seconds'`,
        [id],
      )
      expect(rows).toHaveLength(1)
    })
    expect(await progressOf(id)).toMatchObject({ status: 'running', accepted: 0, refused: 0 })
    await env.admin.query(
      `update dispatch.broadcasts set updated_at = now() - interval '25 hours', next_page_at = now() where id = $1`,
      [id],
    )
    await until(id, { status: 'paused', accepted: 0, refused: 0 })
  } finally {
    await env.admin.query(`update dispatch.providers set deleted_at = null where ${providers}`)
  }
  expect((await control(id, 'resume')).body.status).toBe('running')
  await until(id, { status: 'completed', accepted: 3, refused: 0 })
})

test('a broadcast to a member whose data cannot be read is paused after HOLD_LIMIT, and goes on when it is resumed', async () => {
  const users = freshUsers(1)
  await addUsers(users)
  const listId = await listOf(users)
  const { rows } = await env.admin.query(
    `select id, content from dispatch.recipients where tenant_id = $1 order by created_at desc limit 1`,
    [env.tenantId],
  )
  const [{ id: recipient, content }] = rows
  const write = (bytes: Buffer) =>
    env.admin.query('update dispatch.recipients set content = $2 where id = $1', [recipient, bytes])
  await write(Buffer.from('unreadable'))
  const id = await broadcastTo(listId)
  try {
    await eventually(async () => {
      await env.admin.query(
        `update dispatch.broadcasts set updated_at = now() - interval '25 hours', next_page_at = now()
         where id = $1 and next_page_at > created_at + interval '4 seconds'`,
        [id],
      )
      expect(await progressOf(id)).toMatchObject({ status: 'paused', accepted: 0, refused: 0 })
    })
  } finally {
    await write(content)
  }
  expect((await control(id, 'resume')).body.status).toBe('running')
  await until(id, { status: 'completed', accepted: 1, refused: 0 })
})

const operator = (method: string, path: string, body?: object): Promise<ApiResponse> =>
  asOperator(env, method, `/api/v1${path}`, body && { body })

const mail = { subject: 'News', html_body: '<p>We have moved.</p>' }

/** What a broadcast may name, with what takes it from its application and gives it back. */
interface Named {
  request: object
  take(): Promise<ApiResponse>
  give(): Promise<ApiResponse>
}

async function namedEvent(): Promise<Named> {
  const event_key = `news.${crypto.randomUUID()}`
  const path = `/applications/${env.applicationId}/events`
  const event = {
    event_key,
    name: 'News',
    status: 'published',
    allowed_channels: ['email'],
    templates: { email: mail },
  }
  expect((await operator('POST', path, event)).status).toBe(201)
  const change = (verb: string) => () => operator('POST', `${path}/${event_key}/${verb}`)
  return { request: { event_key }, take: change('deactivate'), give: change('publish') }
}

/** @param path of stored templates or layouts, which can be given to another application */
async function namedContent(path: string, content: object): Promise<Pick<Named, 'take' | 'give'> & { id: string }> {
  const { applicationId: other } = await addApplication(env)
  const made = await operator('POST', path, { ...content, application_id: env.applicationId })
  expect(made.status).toBe(201)
  const id: string = made.body.layout_id ?? made.body.template_id
  const giveTo = (application_id: string) => () => operator('PUT', `${path}/${id}`, { ...content, application_id })
  return { id, take: giveTo(other), give: giveTo(env.applicationId) }
}

test('a broadcast whose event, layout or stored template is taken from its application loses no member, and goes on when it is back', async () => {
  const users = freshUsers(3)
  const [, ...known] = users
  for (const user of known)
    expect((await env.api('PUT', `/api/v1/users/${user}`, { body: { email: freshAddress() } })).status).toBe(200)
  const listId = await listOf(users)
  const layout = await namedContent('/layouts', { name: 'News', html_body: '<body>{{ content }}</body>' })
  const template = await namedContent('/templates', { name: 'News', templates: { email: mail } })
  const all: Named[] = [
    await namedEvent(),
    { ...layout, request: { ...mail, layout_id: layout.id } },
    { ...template, request: { template_id: template.id } },
  ]
  await env.kill('dispatch-worker')
  const ids: string[] = []
  for (const { request, take } of all) {
    ids.push(await broadcastTo(listId, { channel: 'email', ...request }))
    expect((await take()).status).toBe(200)
  }
  await env.restart('dispatch-worker')
  // The lease of a page is longer.
  const waiting = `select from dispatch.broadcasts where id = any ($1) and status = 'running'
    and next_page_at between now() and now() + interval '6 seconds'`
  await eventually(async () => expect((await env.admin.query(waiting, [ids])).rowCount).toBe(ids.length))
  for (const id of ids) expect(await progressOf(id)).toMatchObject({ accepted: 0, refused: 0 })
  for (const { give } of all) expect((await give()).status).toBe(200)
  const ended = { status: 'completed', accepted: 2, refusals: { recipient_unknown: 1 } }
  for (const id of ids) await until(id, ended)
})
