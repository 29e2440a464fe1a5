import { beforeAll, expect, test } from '@jest/globals'
import type { ReceiptWanted } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { countRowsRead, few, fillAfterPlanning, many, useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { recordCallbacks } from '../src/records/callback-store.ts'
import { findReceipts } from '../src/records/read-receipts.ts'
import { republishReceipts } from '../src/records/receipt-store.ts'

const tables = ['outbox', 'received_callbacks']

let db: Queries
useOwnSchema('callbacks', { migrations, poolSize: 1 }, (own) => {
  db = own.db
})
beforeAll(async () => {
  const runAll = async () => {
    for (const { work } of statements) await work(db, await someReceipts())
  }
  await fillAfterPlanning(db, { tables, fill, runAll })
})

/** Recorded callbacks, each with the message that published it. */
async function fill(count: number): Promise<void> {
  await db.runLong(
    `with attempts as materialized (select 'att_' || gen_random_uuid() as id from generate_series(1, $1::int)),
     messages as (
       insert into outbox (subject, events, published_at)
       select 'callbacks.receipt.sms',
         json_build_array(json_build_object('event', json_build_object('notification_id', 'notif_1', 'attempt_id', id, 'status', 'delivered')))::text, now()
       from attempts returning id, events)
     insert into received_callbacks (provider_id, provider_message_id, status, attempt_id, message_id)
     select 'prov_1', attempt_id, 'delivered', attempt_id, id
     from messages cross join lateral (select events::json -> 0 -> 'event' ->> 'attempt_id' as attempt_id) as of_event`,
    [count],
  )
}

/** From all over the table. */
async function someReceipts(): Promise<ReceiptWanted[]> {
  const rows = await db.run<{ attempt_id: string }>(
    `select attempt_id from received_callbacks order by attempt_id limit ${few}`,
  )
  return rows.map(({ attempt_id }) => ({ attempt_id, known: 'unknown' })) as ReceiptWanted[]
}

const statements: { name: string; work(on: Queries, receipts: readonly ReceiptWanted[]): Promise<unknown> }[] = [
  { name: 'republish receipts', work: republishReceipts },
  {
    name: 'read receipts',
    work: (on, receipts) => {
      const attempts = receipts.map(({ attempt_id }) => ({
        attempt_id,
        provider_id: 'prov_1',
        provider_message_id: attempt_id,
      }))
      return findReceipts(on, { tenant_id: 'ten_1', attempts })
    },
  },
  {
    name: 'record',
    work: (on, receipts) =>
      recordCallbacks(
        on,
        receipts.map(({ attempt_id }) => ({
          provider_id: 'prov_1',
          provider_message_id: `SM${crypto.randomUUID()}`,
          status: 'delivered',
          subject: 'callbacks.receipt.sms',
          wire: { event: { attempt_id }, traceparent: undefined },
        })),
      ),
  },
]

test.each(statements)(
  'a plan from when the tables were small reaches its rows by an index, whatever joins are allowed: $name',
  async ({ work }) => {
    const receipts = await someReceipts()
    expect(await countRowsRead(db, tables, (on) => work(on, receipts))).toBeLessThan(many / 20)
  },
)
