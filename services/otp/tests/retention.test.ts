import { expect, test } from '@jest/globals'
import { earliestId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { pagesReadOnceRefilled, useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { createTransactionDeletion } from '../src/transactions/delete-old.ts'

let db: Queries
useOwnSchema('otp', { migrations }, (own) => {
  db = own.db
})

const [hourMs, dayMs] = [3_600_000, 86_400_000]
let filled = 0

/** Ids that begin with the time that was this long ago, as SQL. */
const idsOf = (prefix: 'otp' | 'notif', ageMs: number) =>
  `'${earliestId(prefix, Date.now() - ageMs).slice(0, -11)}${100 + filled++}' || lpad(n::text, 8, '0')`

const fillTransactions = (count: number, ageMs: number) =>
  db.run(
    `insert into transactions (id, tenant_id, application_id, mode, channel, recipient_masked, recipient_index, length, ttl_seconds,
       notification_id, expires_at, created_at)
     select ${idsOf('otp', ageMs)}, 'ten_1', 'app_1', 'live', 'sms', '+1*', 'x', 6, 300, 'notif_1', now(),
       now() - $2 * interval '1 millisecond' from generate_series(1, $1::int) n`,
    [count, ageMs],
  )
const fillMessages = (count: number, ageMs: number) =>
  db.run(
    `insert into messages (notification_id, transaction_id, tenant_id, mode, recipient_index, expires_at, created_at)
     select ${idsOf('notif', ageMs)}, 'otp_1', 'ten_1', 'live', n, now(), now() - $2 * interval '1 millisecond'
     from generate_series(1, $1::int) n`,
    [count, ageMs],
  )

test('transactions and messages older than a month are deleted in batches, also concurrently; younger ones stay', async () => {
  for (const fill of [fillTransactions, fillMessages]) {
    await fill(1500, 30 * dayMs + hourMs)
    await fill(3, 30 * dayMs - hourMs)
  }
  const [one, another] = [createTransactionDeletion(db), createTransactionDeletion(db)]
  await Promise.all([one(), another()])
  while ((await one()) || (await another()));
  const [left] = await db.run(
    `select (select count(*)::int from transactions) as transactions, (select count(*)::int from messages) as messages`,
  )
  expect(left).toEqual({ transactions: 3, messages: 3 })
})

test.each([
  ['transactions', fillTransactions],
  ['messages', fillMessages],
] as const)(
  'a deletion with nothing due reads a few pages, also once new rows have taken the pages of deleted ones: %s',
  async (table, fill) => {
    const pages = await pagesReadOnceRefilled(db, {
      table,
      fill: (days) => fill(5000, days * dayMs),
      createDeletion: createTransactionDeletion,
    })
    expect(pages).toBeLessThan(20)
  },
)
