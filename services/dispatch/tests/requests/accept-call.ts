import { expect, test } from '@jest/globals'
import { type AcceptLine, acceptNotifications, newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { createInternalClient, createPrincipalSigner } from '@notify/service-kit'
import { inAnHour } from '@notify/test-kit/api'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { holdKey } from '../hold-key.ts'
import { env } from './stack.ts'

/** A call as the gateway makes it. @param onLine gets each line when it arrives */
async function accept(items: readonly object[], onLine: (line: AcceptLine) => void): Promise<void> {
  const { tenantId, applicationId } = env
  const sign = await createPrincipalSigner(env.stack.state.principal_signing_key)
  const caller = newKeyPrincipal({
    tenant_id: tenantId as `ten_${string}`,
    application_id: applicationId as `app_${string}`,
  })
  const bodyText = JSON.stringify({
    principals: [await sign(caller)],
    items: items.map((item) => ({ notification_id: newId('notif'), principal: 0, ...item })),
  })
  const dispatch = createInternalClient(env.stack.url('dispatch-api'))
  await dispatch.stream(acceptNotifications, { bodyText, timeoutMs: 20_000 }, onLine)
}

test('each item of a call is answered as soon as it is settled, and the call ends with the last', async () => {
  // An item waits for three seconds. If its key was given up later, all is repeated.
  await eventually(async () => {
    const [held, free] = [`call-1-${crypto.randomUUID()}`, `call-2-${crypto.randomUUID()}`]
    const holder = await holdKey(env, {
      scope: `${env.tenantId} ${env.applicationId} POST /api/v1/notifications`,
      key: held,
    })
    const lines: AcceptLine[] = []
    const others = Promise.withResolvers<void>()
    const items = [
      { request: smsTo(freshPhone()), idempotency_key: held },
      { request: smsTo(freshPhone()), idempotency_key: free },
      { request: smsTo('not a phone') },
      { request: smsTo(freshPhone()), principal: 1 },
    ]
    const call = accept(items, (line) => {
      if (lines.push(line) === 3) others.resolve()
    })
    const answered = await Promise.race([others.promise, call])
      .then(() => lines.toSorted((a, b) => a.item - b.item))
      .finally(() => holder.giveUp())
    expect(answered).toEqual([
      { item: 1, body: expect.stringContaining('accepted') },
      { item: 2, problem: expect.objectContaining({ code: 'invalid_recipient' }) },
      { item: 3, problem: expect.objectContaining({ code: 'unauthenticated' }) },
    ])
    await call
    expect(lines.slice(3)).toEqual([{ item: 0, body: expect.stringContaining('accepted') }])
  })
})

test('an item that is asked again under its id is accepted once, and gets the same answer', async () => {
  const item = { notification_id: newId('notif'), request: smsTo(freshPhone()) }
  const lines: AcceptLine[] = []
  await Promise.all([1, 2, 3].map(() => accept([item, item], (line) => lines.push(line))))
  expect(new Set(lines.map((line) => ('body' in line ? line.body : line.problem.code))).size).toBe(1)
  expect(lines).toHaveLength(6)
  const { rows } = await env.admin.query('select count(*)::int as count from dispatch.notifications where id = $1', [
    item.notification_id,
  ])
  expect(rows[0].count).toBe(1)
})

test('an item that is repeated because its answer may be lost is accepted, although a new one would be refused by now', async () => {
  const event_key = 'call.repeated'
  await env.sql('dispatch').query(
    `insert into events (tenant_id, application_id, event_key, name, status, version, allowed_channels, templates)
     values ($1, $2, $3, 'Call', 'published', 1, '{sms}', $4)`,
    [env.tenantId, env.applicationId, event_key, JSON.stringify({ sms: { body: 'Your table is ready.' } })],
  )
  const item = (fields: object = {}) => ({
    notification_id: newId('notif'),
    request: { channel: 'sms', recipient: freshPhone(), event_key, data: {}, ...fields },
  })
  const sent = [item(), item({ send_at: inAnHour() })]
  const answersTo = async (items: readonly object[]) => {
    const lines: AcceptLine[] = []
    await accept(items, (line) => lines.push(line))
    const inOrder = lines.toSorted((a, b) => a.item - b.item)
    return inOrder.map((line) => ('body' in line ? JSON.parse(line.body) : line.problem.code))
  }
  const accepted = ['queued', 'scheduled'].map((delivery_status, at) => {
    const { notification_id } = sent[at]!
    return { status: 'accepted', notification_id, channel: 'sms', delivery_status }
  })
  await eventually(async () => expect(await answersTo(sent)).toEqual(accepted))
  await env.sql('dispatch').query(`update events set status = 'inactive' where event_key = $1`, [event_key])
  const repeated = sent.map((one) => ({ ...one, repeated: true }))
  // The event is known for a moment yet.
  await eventually(async () => expect(await answersTo([item(), ...repeated])).toEqual(['event_not_found', ...accepted]))
  const uncommitted = { ...item(), repeated: true }
  expect(await answersTo([uncommitted])).toEqual(['event_not_found'])
})
