import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { closedPort } from '@notify/test-kit/http'
import { freshPhone } from '@notify/test-kit/sms'
import { newWebhookSecret, signWebhook } from '@notify/webhook-signature'
import { type Client, createClient, Problem, verifyWebhook } from '../src/index.ts'
import { ReadmeProject } from './readme-project.ts'

let env: TestEnv
let notify: Client
let operator: Client
let project: ReadmeProject
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'webhook-delivery'])
  const url = env.stack.url('gateway')
  notify = createClient({ url, token: env.apiKey })
  operator = createClient({ url, token: () => env.operatorToken })
  project = new ReadmeProject()
})
afterAll(async () => {
  project?.remove()
  await env?.stop()
})

test('a notification is sent, found in the activity page by page, and reported to a webhook that verifies', async () => {
  const path = `/ok/${crypto.randomUUID()}`
  const { secret } = await operator.post('/api/v1/webhook-subscriptions', {
    body: {
      application_id: env.applicationId,
      url: env.stack.receiverUrl + path,
      events: ['notification.delivered'],
    },
  })
  const ids = await Promise.all(
    [1, 2, 3].map(async () => {
      const body = { channel: 'sms', recipient: { phone: freshPhone() }, body: 'Your table is ready.' } as const
      return (await notify.post('/api/v1/notifications', { body })).notification_id
    }),
  )
  for (const id of ids) await untilActivity(env, id, { status: 'delivered' })
  const found: string[] = []
  const query = { channel: 'sms', limit: 1 } as const
  for await (const item of operator.list('/api/v1/activity', { params: { query } })) found.push(item.transaction_id)
  expect(found).toEqual(expect.arrayContaining(ids))
  await eventually(async () => {
    const { body } = await env.call('carrier-sandbox', 'GET', `/received?path=${encodeURIComponent(path)}`)
    expect(body.items).toHaveLength(3)
    const events = body.items.map((one: { headers: Record<string, string>; body: string }) =>
      verifyWebhook(one.headers, one.body, secret!),
    )
    expect(events.map((event: { data: { notification_id: string } }) => event.data.notification_id).sort()).toEqual(
      [...ids].sort(),
    )
  })
})

test('the real service refuses with problems, and answers a repeated key once', async () => {
  const phone = freshPhone()
  const params = { header: { 'Idempotency-Key': 'sdk-1' } }
  const body = { channel: 'sms', recipient: { phone }, body: 'Hi' } as const
  const first = await notify.post('/api/v1/notifications', { body, params })
  expect(await notify.post('/api/v1/notifications', { body, params })).toEqual(first)
  const refusal = await notify
    .post('/api/v1/notifications', { body: { ...body, recipient: { phone: '12' } } })
    .catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Problem)
  expect(refusal).toMatchObject({
    status: 422,
    code: 'invalid_recipient',
    errors: [{ path: 'recipient.phone', message: expect.any(String) }],
    request_id: expect.stringMatching(/^req_/),
  })
})

test("the READMEs' examples compile and run", async () => {
  project.compile()
  const [sending, listing, receiving, trying] = project.examples
  const variables = { NOTIFY_URL: env.stack.url('gateway'), NOTIFY_API_KEY: env.apiKey }
  const sent = await project.run(sending!, variables)
  const [, id] = /^accepted (notif_\w+)$/m.exec(sent) ?? [sent]
  await untilActivity(env, id!, { status: 'delivered' })
  expect(await project.run(sending!, variables)).toBe(sent)
  const listed = await project.run(listing!, { ...variables, NOTIFY_OPERATOR_TOKEN: env.operatorToken })
  expect(listed).toContain(`${id} delivered`)
  project.writeDevFile({ base_url: env.stack.url('gateway'), api_key: env.apiKey })
  expect(await project.run(trying!, {})).toMatch(/^accepted notif_/)
  await receive(receiving!)
})

async function receive(example: string): Promise<void> {
  const port = String(await closedPort())
  const secret = newWebhookSecret()
  const { child, output } = project.start(example, { NOTIFY_WEBHOOK_SECRET: secret, PORT: port })
  try {
    const body = '{"type":"notification.delivered"}'
    const timestamp = Math.floor(Date.now() / 1000)
    const post = (key: string) =>
      fetch(`http://127.0.0.1:${port}`, {
        method: 'POST',
        body,
        headers: signWebhook({ id: 'msg_1', timestamp, body }, [key]),
      })
    await eventually(async () => expect((await post(secret)).status).toBe(204))
    expect((await post(newWebhookSecret())).status).toBe(401)
    expect(output()).toContain("received { type: 'notification.delivered' }")
  } finally {
    const closed = once(child, 'close')
    child.kill()
    await closed
  }
}
