import { expect, test } from '@jest/globals'
import { type Id, newId } from '@notify/contracts'
import type { Queries, Restored } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { insertDeliveries } from '../src/deliveries/insert-deliveries.ts'
import type { Verdict } from '../src/deliveries/judge-outcome.ts'
import { settleDeliveries } from '../src/deliveries/settle-deliveries.ts'
import { takeDeliveries } from '../src/deliveries/take-deliveries.ts'
import { storeErased } from '../src/erasure/store-erased.ts'
import { findHandOffs, reportOf } from '../src/hand-offs/hand-off-store.ts'
import { replayOne } from '../src/replays/replay-store.ts'
import { countReplays, endReplays } from '../src/restore/restored-replays.ts'
import { settleRestored } from '../src/restore/settle-restored.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ db } = own)
})

const verdict = { charged: true, status: 500, error: 'the receiver answered 500', nextInMs: null, gone: false }
const verdicts: Record<'succeeded' | 'exhausted', Verdict> = {
  succeeded: { ...verdict, outcome: 'succeeded', status: 204, error: null, retryable: false },
  exhausted: { ...verdict, outcome: 'exhausted', retryable: true },
}

interface Sent {
  id: Id<'whdel'>
  notification_id: Id<'notif'>
}

/** A hand-off whose first attempt ended like this. */
async function sent(outcome: keyof typeof verdicts): Promise<Sent> {
  const [id, notification_id] = [newId('whdel'), newId('notif')]
  const of = { tenant_id: 'ten_1', application_id: 'app_1', endpoint_id: `origin_${id}` } as const
  const texts = { url: Buffer.alloc(1), body: Buffer.alloc(1), traceparent: null, recipient_index: null }
  const kind = { subscription_id: null, retry_count: 0, event_type: 'order.shipped', provider_id: null }
  await insertDeliveries(db.run, [{ id, notification_id, ...of, ...kind, ...texts }])
  await attempt(id, 1, outcome)
  return { id, notification_id }
}

async function attempt(deliveryId: Id<'whdel'>, number: number, outcome: keyof typeof verdicts): Promise<void> {
  await takeDeliveries(db.run, [{ endpoint_id: `origin_${deliveryId}`, room: 1 }], 60_000)
  await settleDeliveries(db.run, [{ deliveryId, number, verdict: verdicts[outcome], durationMs: 5, response: null }])
}

const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

const restored = (options: Partial<Restored> = {}): Restored => ({
  ...{ sent_until: at(1), created_before: null, tenant: null, lane: null, channel: null },
  ...options,
})

/** The states that were reported to dispatch, in their order. */
async function reported(notification_id: string): Promise<string[]> {
  const written = `select e -> 'event' ->> 'status' as status from outbox, json_array_elements(events::json) as e
    where subject = 'webhooks.notification.reported' and e -> 'event' ->> 'notification_id' = $1 order by id`
  const rows = (await db.run(written, [notification_id])) as { status: string }[]
  return rows.map(({ status }) => status)
}

test('a replay makes its endpoint due, also one that the retention removed', async () => {
  const { id } = await sent('exhausted')
  await db.run('delete from endpoints where id = $1', [`origin_${id}`])
  expect([await replayOne(db.run, id), await replayOne(db.run, id)]).toEqual([true, false])
  const due = await db.run('select next_due_at from endpoints where id = $1', [`origin_${id}`])
  expect(due).toEqual([{ next_due_at: expect.any(Date) }])
})

test('a replay keeps the place of an endpoint that waits already', async () => {
  const { id } = await sent('exhausted')
  const endpoint = `origin_${id}`
  await db.run(`update endpoints set next_due_at = now() - interval '1 hour' where id = $1`, [endpoint])
  expect(await replayOne(db.run, id)).toBe(true)
  const keeps = `select next_due_at < now() - interval '30 minutes' as keeps from endpoints where id = $1`
  expect(await db.run(keeps, [endpoint])).toEqual([{ keeps: true }])
})

test('a message that has arrived stays reported as delivered: a replay that fails or is interrupted reports nothing', async () => {
  const { id, notification_id } = await sent('succeeded')
  expect(await replayOne(db.run, id)).toBe(true)
  const [pending] = await findHandOffs(db.run, [{ notification_id, retry_count: 0 }])
  expect(reportOf(pending!)).toMatchObject({ status: 'delivered' })
  await attempt(id, 2, 'exhausted')
  expect(await replayOne(db.run, id)).toBe(true)
  await settleRestored(db, restored())
  expect(await db.run('select status, attempts from deliveries where id = $1', [id])).toEqual([
    { status: 'exhausted', attempts: 2 },
  ])
  const [ended] = await findHandOffs(db.run, [{ notification_id, retry_count: 0 }])
  expect(reportOf(ended!)).toMatchObject({ status: 'delivered', failure_reason: null, retryable: false })
  expect(await reported(notification_id)).toEqual(['delivered'])
})

test('a message that had not arrived is delivered by the replay that arrives', async () => {
  const { id, notification_id } = await sent('exhausted')
  expect(await replayOne(db.run, id)).toBe(true)
  await attempt(id, 2, 'succeeded')
  expect(await reported(notification_id)).toEqual(['failed', 'delivered'])
})

test('nothing is sent again to an address that was erased', async () => {
  const { id, notification_id } = await sent('succeeded')
  expect(await replayOne(db.run, id)).toBe(true)
  expect(await storeErased(db, [{ id, body: Buffer.alloc(1), url: Buffer.alloc(1) }])).toBe(1)
  expect(await replayOne(db.run, id)).toBe(false)
  expect(await reported(notification_id)).toEqual(['delivered'])
})

test('after a restore, replays are ended of the tenant and up to the time that the command names', async () => {
  for (const tenant of ['ten_a', 'ten_b']) {
    for (const minutes of [-10, -5, 5]) {
      await db.run(
        `insert into replays (subscription_id, tenant_id, since, count, next_at, requested_at)
         values ($1, $2, now(), 1, now(), $3)`,
        [newId('whsub'), tenant, at(minutes)],
      )
    }
  }
  const one = restored({ tenant: 'ten_a', created_before: at(-7) })
  expect(await countReplays(db, one)).toMatchObject([{ tenant_id: 'ten_a' }])
  expect(await endReplays(db, one)).toBe(1)
  expect(await endReplays(db, restored({ tenant: 'ten_a' }))).toBe(1)
  const left = await db.run('select tenant_id from replays where finished_at is null order by tenant_id')
  expect(left).toEqual(['ten_a', 'ten_b', 'ten_b', 'ten_b'].map((tenant_id) => ({ tenant_id })))
})
