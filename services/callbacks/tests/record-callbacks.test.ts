import { expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { callbackIdentity, type NewCallback, recordCallbacks } from '../src/records/callback-store.ts'
import { withCorrelation } from '../src/records/find-correlation.ts'

let db: Queries
useOwnSchema('callbacks', { migrations }, (own) => {
  db = own.db
})

const callback = (id: string, event: unknown = id, subject = 'callbacks.receipt.sms'): NewCallback => ({
  provider_id: 'prov_1',
  provider_message_id: id,
  status: 'delivered',
  subject,
  wire: { event, traceparent: undefined },
})

/** The events of these messages in the outbox, by subject. */
async function published(): Promise<Record<string, unknown[]>> {
  const rows = await db.run<{ subject: string; events: string }>('delete from outbox returning subject, events')
  const bySubject = Object.groupBy(rows, ({ subject }) => subject)
  return Object.fromEntries(
    Object.entries(bySubject).map(([subject, list]) => [
      subject,
      list!.flatMap(({ events }) => JSON.parse(events) as { event: unknown }[]).map(({ event }) => event),
    ]),
  )
}

test('of a batch only new callbacks are published, each on its subject and unchanged', async () => {
  const odd = { text: `"quotes" \\back\\slash \\u0041 ' $1 \n\t ü 😀 \0 \ud800 ],[` }
  const old = [callback('old-1'), callback('old-2', 'old-2', 'callbacks.message.received')]
  await recordCallbacks(db, old)
  await published()
  const fresh = [callback('new-1', odd), callback('new-2', odd, 'callbacks.message.received'), callback('new-3', null)]
  const recorded = await recordCallbacks(db, [old[0]!, ...fresh, old[1]!])
  expect(recorded).toEqual(new Set(fresh.map(callbackIdentity)))
  expect(await published()).toEqual({ 'callbacks.receipt.sms': [odd, null], 'callbacks.message.received': [odd] })
})

test('a callback is published once, however many replicas record it at the same moment, in any order', async () => {
  const batch = Array.from({ length: 200 }, (_, i) => callback(`same-${i}`))
  const recorded = await Promise.all(
    [batch, batch.toReversed(), batch.slice(50), batch.toReversed().slice(50)].map((one) => recordCallbacks(db, one)),
  )
  expect(recorded.reduce((sum, { size }) => sum + size, 0)).toBe(200)
  const { 'callbacks.receipt.sms': events = [] } = await published()
  expect(events.toSorted()).toEqual(batch.map(({ wire: { event } }) => event).toSorted())
})

/** A receipt of the message with the carrier's id `m`. */
function receipt(status: string, correlation: object = {}, provider_id = 'prov_1', message = 'm'): NewCallback {
  const event = { provider_id, provider_message_id: message, status, ...correlation }
  return { ...callback(message, event), provider_id: provider_id as 'prov_1', status }
}
const correlation = { notification_id: 'notif_1', attempt_id: 'att_1' }
const correlationsOf = async (callbacks: readonly NewCallback[]) =>
  (await withCorrelation(db, callbacks)).map(({ wire: { event } }) => (event as { attempt_id?: string }).attempt_id)

test('a receipt without our correlation finds it by the id of the carrier, in an earlier receipt of the account', async () => {
  const delivered = receipt('delivered')
  expect(await correlationsOf([delivered])).toEqual([undefined])
  await recordCallbacks(db, [receipt('sent', correlation), receipt('sent', {}, 'prov_1', 'another')])
  expect((await withCorrelation(db, [delivered]))[0]!.wire.event).toMatchObject({ ...correlation, status: 'delivered' })
  // Another account with a message of the same id never meets it.
  const others = [receipt('delivered', {}, 'prov_2'), receipt('delivered', {}, 'prov_1', 'another')]
  expect(await correlationsOf(others)).toEqual([undefined, undefined])
})

test('receipts that come together correlate each other, and what is no receipt stays as it is', async () => {
  const inbound = callback('in', { provider_id: 'prov_3', provider_message_id: 'm' }, 'callbacks.message.received')
  const sent = receipt('sent', { notification_id: 'notif_3', attempt_id: 'att_3' }, 'prov_3')
  const together = [receipt('delivered', {}, 'prov_3'), sent, inbound]
  expect(await correlationsOf(together)).toEqual(['att_3', 'att_3', undefined])
})
