import { expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { createTransactionDeletion } from '../src/transactions/delete-old.ts'

let db: Queries
useOwnSchema('otp', { migrations }, (own) => {
  db = own.db
})

const fillTransactions = (prefix: string, count: number, age: string) =>
  db.run(
    `insert into transactions (id, tenant_id, application_id, mode, channel, recipient_masked, recipient_index, length, ttl_seconds,
       notification_id, expires_at, created_at)
     select $1 || n, 'ten_1', 'app_1', 'live', 'sms', '+1*', 'x', 6, 300, $1 || n, now(), now() - $3::interval
     from generate_series(1, $2::int) n`,
    [prefix, count, age],
  )
const fillMessages = (prefix: string, count: number, age: string) =>
  db.run(
    `insert into messages (notification_id, transaction_id, tenant_id, mode, recipient_index, expires_at, created_at)
     select $1 || n, 'otp_1', 'ten_1', 'live', 'x', now(), now() - $3::interval from generate_series(1, $2::int) n`,
    [prefix, count, age],
  )

test('transactions and messages older than a month are deleted in batches, also concurrently; younger ones stay', async () => {
  for (const fill of [fillTransactions, fillMessages]) {
    await fill('old', 1500, '30 days 1 hour')
    await fill('kept', 3, '29 days 23 hours')
  }
  const [one, another] = [createTransactionDeletion(db), createTransactionDeletion(db)]
  await Promise.all([one(), another()])
  while ((await one()) || (await another()));
  const [left] = await db.run(
    `select (select count(*)::int from transactions) as transactions, (select count(*)::int from messages) as messages`,
  )
  expect(left).toEqual({ transactions: 3, messages: 3 })
})
