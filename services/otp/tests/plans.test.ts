import { beforeAll, expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { countRowsRead, fillAfterPlanning, many, useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { waitOfRecipient } from '../src/limits/recipient-store.ts'

const tables = ['messages']
const recipient = { tenantId: 'ten_1', recipientIndex: 'index', mode: 'live' } as const

let db: Queries
useOwnSchema('otp', { migrations, poolSize: 1 }, (own) => {
  db = own.db
})
beforeAll(() =>
  fillAfterPlanning(db, { tables, fill, runAll: () => db.transaction((run) => waitOfRecipient(run, recipient)) }),
)

/** Messages to one recipient: of the last days, and refused ones of the last minutes. */
async function fill(count: number): Promise<void> {
  await db.runLong(
    `insert into messages (notification_id, transaction_id, tenant_id, mode, recipient_index, expires_at, refusal, created_at)
     select 'notif_' || gen_random_uuid(), 'otp_1', $1, $2, $3, now(), case when i <= 10 then 'recipient_suppressed' end,
       now() - i * interval '1 minute'
     from generate_series(1, $4::int) as i`,
    [recipient.tenantId, recipient.mode, recipient.recipientIndex, count],
  )
}

test('the limit of a recipient reads the messages of its window, and not those of all the days before', async () => {
  const wait = (on: Queries) => on.transaction((run) => waitOfRecipient(run, recipient))
  expect(await wait(db)).toBe(0)
  expect(await countRowsRead(db, tables, wait)).toBeLessThan(many / 20)
})
