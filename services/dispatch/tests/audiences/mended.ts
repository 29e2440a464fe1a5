import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
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
