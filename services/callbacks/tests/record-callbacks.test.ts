import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { newId, type ReceiptWanted } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { eventually } from '@notify/dev-env'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { callbackIdentity, type NewCallback, recordCallbacks } from '../src/records/callback-store.ts'
import { findReceipts } from '../src/records/read-receipts.ts'
import { republishReceipts } from '../src/records/receipt-store.ts'
import { createCallbackRecorder } from '../src/records/record-callback.ts'
import { claimToken } from '../src/records/token-store.ts'

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

test('a callback is recorded with the next ones of another tenant, who has thousands all the time', async () => {
  const record = createCallbackRecorder({ db, wakeOutbox: () => undefined })
  let isOver = false
  let recorded = 0
  const flood = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      const post = Array.from({ length: 5000 }, () => callback(crypto.randomUUID()))
      const count = (one: NewCallback) => record('ten_flood', one).then(() => recorded++)
      // Those that wait too long are refused.
      await Promise.allSettled(post.map(count))
    }
  })
  const overtaking: number[] = []
  for (let at = 0; at < 10; at++) {
    const before = recorded
    await eventually(() => record('ten_neighbour', callback(`neighbour-${at}`)))
    overtaking.push(recorded - before)
  }
  isOver = true
  await Promise.all(flood)
  await published()
  expect(overtaking.toSorted((a, b) => a - b)[5]).toBeLessThan(5 * 512)
})

test('a callback that Postgres refuses fails alone', async () => {
  const record = createCallbackRecorder({ db, wakeOutbox: () => undefined })
  // Longer than an entry of an index, also after compression.
  const refused = callback(randomBytes(6000).toString('base64'))
  const batch = [callback('beside-1'), callback('beside-2'), refused, callback('beside-1')]
  const results = await Promise.allSettled(batch.map((one) => record('ten_1', one)))
  expect(results.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code))).toEqual([
    true,
    true,
    '54000',
    true,
  ])
  expect(await published()).toEqual({ 'callbacks.receipt.sms': ['beside-1', 'beside-2'] })
})

describe('of a batch that is larger than NATS takes', () => {
  const largest = 1024 * 1024
  const sizes = async () => {
    const rows = await db.run<{ bytes: number }>('select octet_length(events) as bytes from outbox')
    return rows.map(({ bytes }) => bytes)
  }
  const statuses = ['sent', 'delivered', 'undelivered', 'failed', 'read', 'delayed']
  const attempts = Array.from({ length: 500 }, () => newId('att'))
  const receipts = attempts.flatMap((attempt_id) =>
    statuses.map((status): NewCallback => {
      const event = { attempt_id, status, reason: 'x'.repeat(1000) }
      return { ...callback(attempt_id, event), status }
    }),
  )

  test('each message is small enough, and together they have every callback', async () => {
    const batch = Array.from({ length: 512 }, (_, at) => callback(`large-${at}`, `${at} ${'ü'.repeat(3000)}`))
    await recordCallbacks(db, batch)
    expect(Math.max(...(await sizes()))).toBeLessThan(largest)
    const { 'callbacks.receipt.sms': events } = await published()
    // Not compared as lists, whose difference would fill screens.
    const expected = new Set(batch.map(({ wire: { event } }) => event))
    expect([events!.length, events!.every((event) => expected.has(event))]).toEqual([512, true])
  })

  test('receipts are found again, whichever message has them, and again in messages that are small enough', async () => {
    for (let at = 0; at < receipts.length; at += 512) await recordCallbacks(db, receipts.slice(at, at + 512))
    const before = (await sizes()).length
    const wanted = attempts.map((attempt_id): ReceiptWanted => ({ attempt_id, known: 'unknown' }))
    expect(await republishReceipts(db, wanted)).toBe(receipts.length)
    const all = await sizes()
    expect([all.length > before, Math.max(...all) < largest]).toEqual([true, true])
    const { 'callbacks.receipt.sms': events } = await published()
    const times = Map.groupBy(
      events as { attempt_id: string; status: string }[],
      ({ attempt_id, status }) => `${attempt_id} ${status}`,
    )
    expect([times.size, [...times.values()].every(({ length }) => length === 2)]).toEqual([receipts.length, true])
  })
})

describe('receipts of attempts', () => {
  const [tenant_id, other] = [newId('ten'), newId('ten')]
  const [own, second, foreign] = [newId('prov'), newId('prov'), newId('prov')]
  const attempt_id = newId('att')
  const receiptsOf = async (provider_id: string | null, provider_message_id: string | null = 'message') => {
    const rows = await findReceipts(db, { tenant_id, attempts: [{ attempt_id, provider_id, provider_message_id }] })
    return rows.map(({ status }) => status).toSorted()
  }
  const report = (provider_id: `prov_${string}`, status: string, event: object, message = 'message'): NewCallback => ({
    ...callback(message, event),
    ...{ provider_id, status },
  })
  beforeAll(async () => {
    for (const [id, tenant] of [
      [own, tenant_id],
      [second, tenant_id],
      [foreign, other],
    ])
      await db.run(`insert into providers (id, tenant_id, kind, revision) values ('${id}', '${tenant}', 'twilio', 1)`)
    await recordCallbacks(db, [
      report(own, 'sent', { attempt_id }),
      report(own, 'delivered', {}),
      report(own, 'undelivered', {}, 'another message'),
      report(own, 'received', {}),
      report(second, 'read', { attempt_id }),
      report(foreign, 'failed', { attempt_id }),
      report(foreign, 'delayed', {}),
    ])
  })

  test('are those of its account, with or without our correlation, and never of another tenant that names it', async () => {
    expect(await receiptsOf(own)).toEqual(['delivered', 'sent'])
    expect(await receiptsOf(own, null)).toEqual(['sent'])
    expect(await receiptsOf(second)).toEqual(['read'])
    expect(await receiptsOf(foreign)).toEqual([])
  })

  test('are not those of its copies', async () => {
    await recordCallbacks(db, [report(own, 'undelivered', { attempt_id, copy: 'mark' }, 'message mark')])
    expect(await receiptsOf(own)).toEqual(['delivered', 'sent'])
  })

  test('of an attempt whose account is not known yet, are those of all accounts of its tenant', async () => {
    expect(await receiptsOf(null, null)).toEqual(['read', 'sent'])
  })
})

test('a signed token counts for one body of its account, in all processes, however often that body comes', async () => {
  const [own, other] = [newId('prov'), newId('prov')]
  const claim = (body: string, accountId = own, token = 'token') =>
    claimToken(db, { accountId, token, digest: createHash('sha256').update(body).digest() })
  const first = await Promise.all([claim('body'), claim('forged'), claim('body'), claim('forged')])
  expect([first.filter(Boolean).length, first[0] === first[2]]).toEqual([2, true])
  expect([await claim('body'), await claim('forged')]).toEqual([first[0], first[1]])
  expect([await claim('forged', other), await claim('forged', own, 'another')]).toEqual([true, true])
})
