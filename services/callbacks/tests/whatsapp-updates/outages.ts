import { expect, test } from '@jest/globals'
import { streams } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { untilState } from '@notify/test-kit/api'
import { openBus } from '@notify/test-kit/bus'
import { freshPhone } from '@notify/test-kit/sms'
import { consentOf, optIn, untilConsent } from '@notify/test-kit/whatsapp'
import { env, envelope, ofNumber, silentMessage, update } from './stack.ts'

test('receipts and STOPs are taken while dispatch is down, and count once it is back', async () => {
  const message = await silentMessage()
  await Promise.all([env.kill('dispatch-api'), env.kill('dispatch-worker')])
  const from = message.phone.slice(1)
  const raw = envelope(
    ofNumber({ statuses: [message.status('delivered')] }),
    ofNumber({ messages: [{ id: 'wamid.stop', from, type: 'text', text: { body: 'STOP' } }] }),
  )
  expect((await update(raw)).status).toBe(200)
  await untilConsent(env, message.phone, { status: 'revoked' })
  await Promise.all([env.restart('dispatch-api'), env.restart('dispatch-worker')])
  await untilState(env, message.id, { delivery_status: 'delivered' })
})

const stopOf = (phone: string, id: string) =>
  envelope(ofNumber({ messages: [{ id, from: phone.slice(1), type: 'text', text: { body: 'STOP' } }] }))

test('a STOP that consent held when it was killed counts as soon as consent is back', async () => {
  const phone = freshPhone()
  await optIn(env, phone)
  await using bus = await openBus(env)
  await env.kill('consent', 'SIGSTOP')
  expect((await update(stopOf(phone, 'wamid.held'))).status).toBe(200)
  await eventually(async () => {
    const { num_ack_pending } = await bus.jsm.consumers.info(streams.callbacks.name, 'consent-message-received')
    expect(num_ack_pending).toBeGreaterThan(0)
  })
  await env.kill('consent')
  await env.restart('consent')
  await eventually(async () => expect(await consentOf(env, phone)).toMatchObject({ status: 'revoked' }))
})

test('a STOP overtakes the receipts that wait after an outage of NATS', async () => {
  const phone = freshPhone()
  await optIn(env, phone)
  await env.kill('nats')
  await env.admin.query(
    `insert into callbacks.outbox (subject, events) select 'callbacks.receipt.email', '[]' from generate_series(1, 1000)`,
  )
  expect((await update(stopOf(phone, 'wamid.urgent'))).status).toBe(200)
  await env.restart('nats')
  await untilConsent(env, phone, { status: 'revoked' })
  await eventually(async () => {
    const { rows: waiting } = await env.admin.query('select from callbacks.outbox where published_at is null')
    expect(waiting).toEqual([])
  })
  const { rows: sooner } = await env.admin.query(
    `select from callbacks.outbox where events = '[]' and published_seq <
       (select published_seq from callbacks.outbox where subject = 'callbacks.message.received' order by id desc limit 1)`,
  )
  // The batch that the relay was publishing.
  expect(sooner.length).toBeLessThanOrEqual(128)
})

test('a STOP survives kill -9 at every step of its way, and is recorded once', async () => {
  const phones = Array.from({ length: 30 }, () => freshPhone())
  const agree = (phone: string) => eventually(async () => expect((await optIn(env, phone)).status).toBe(201))
  await Promise.all(phones.map(agree))
  const stop = (phone: string) =>
    env.call('carrier-sandbox', 'POST', '/inbound', { body: { channel: 'whatsapp', from: phone, body: 'STOP' } })
  await Promise.all(phones.slice(0, 10).map(stop))
  // Callbacks dies with requests under way: the carrier repeats them.
  await env.kill('callbacks')
  await Promise.all(phones.slice(10, 15).map(stop))
  await env.restart('callbacks')
  // What is committed has not been published, or not been taken.
  await Promise.all(phones.slice(15, 20).map(stop))
  await env.kill('nats')
  await Promise.all(phones.slice(20, 25).map(stop))
  await env.kill('consent')
  await env.restart('nats')
  await env.kill('callbacks')
  await env.restart('callbacks')
  await Promise.all(phones.slice(25).map(stop))
  await env.restart('consent')
  await eventually(async () => {
    const { rows: stops } = await env.admin.query(
      `select recipient_index, count(*)::int as n from consent.consent_entries where action = 'opt_out' and source = 'reply'
         and recipient_index in (select recipient_index from consent.consent_entries where action = 'opt_in')
         group by recipient_index`,
    )
    expect(stops.length).toBeGreaterThanOrEqual(phones.length)
    expect(stops.every(({ n }) => n === 1)).toBe(true)
  })
  for (const phone of phones) await untilConsent(env, phone, { status: 'revoked' })
})
