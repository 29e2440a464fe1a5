import { expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { countRowsRead, useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { expireTransactions } from '../src/transactions/expire-transactions.ts'

const backlog = 10_000

let db: Queries
useOwnSchema('otp', { migrations }, (own) => {
  ;({ db } = own)
})

/** Codes that expire in this many seconds. */
const addCodes = (tenant: string, count: number, expireIn: number) =>
  db.runLong(
    `insert into transactions (id, tenant_id, application_id, mode, channel, recipient, recipient_masked, recipient_index, length,
       ttl_seconds, status, notification_id, expires_at)
     select 'otp_' || gen_random_uuid(), $1, 'app_1', 'live', 'sms', '', '+1***', 'index ' || i, 6, 300, 'sent', 'notif_' || gen_random_uuid(),
       now() + make_interval(secs => $3)
     from generate_series(1, $2::int) as i`,
    [tenant, count, expireIn],
  )

test(`${backlog} codes of a tenant that expire at once do not delay the end of a neighbour's`, async () => {
  await addCodes('busy', backlog, -60)
  await addCodes('calm', backlog, 300)
  await addCodes('neighbour', 1, -1)
  await db.run('analyze transactions')
  const read = await countRowsRead(db, ['transactions'], (on) => expireTransactions({ db: on, wakeOutbox() {} }))
  expect(read).toBeLessThan(2000)
  const ended = await db.run(
    `select tenant_id, count(*)::int from transactions where status = 'expired' group by 1 order by 1`,
  )
  expect(ended).toEqual([
    { tenant_id: 'busy', count: 250 },
    { tenant_id: 'neighbour', count: 1 },
  ])
})
