import { expect, test } from '@jest/globals'
import type { Database } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import type { Tables } from '../src/db/schema.ts'
import { createCallbackDeletion } from '../src/records/callback-store.ts'
import { createReceiptDeletion } from '../src/records/receipt-store.ts'

let db: Database<Tables>
useOwnSchema<Tables>('callbacks', { migrations }, (own) => {
  db = own.db
})

const kinds = [
  {
    table: 'received_callbacks',
    days: 14,
    create: createCallbackDeletion,
    columns: `provider_id, provider_message_id, status, received_at`,
    values: `'prov_1', $1 || n, 'sent'`,
  },
  {
    table: 'told_receipts',
    days: 7,
    create: createReceiptDeletion,
    columns: 'attempt_id, status, message_id, told_at',
    values: `$1 || n, 'sent', uuidv7()`,
  },
]

test.each(kinds)(
  'what is older is deleted, by several at once: $table',
  async ({ table, days, create, columns, values }) => {
    const fill = (name: string, count: number, age: string) =>
      db.run(
        `insert into ${table} (${columns}) select ${values}, now() - $3::interval from generate_series(1, $2::int) n`,
        [name, count, age],
      )
    // Of one moment, as the rows of one statement are, and more than a batch.
    await fill('old', 2500, `${days} days 1 hour`)
    await fill('older', 1200, `${days + 3} days`)
    await fill('kept', 3, `${days} days -1 hour`)
    const replicas = [create(db), create(db)]
    await Promise.all(
      replicas.map(async (deleteSome) => {
        while (await deleteSome());
      }),
    )
    while (await replicas[0]!());
    await create(db)()
    expect(await db.run(`select count(*)::int as n from ${table}`)).toEqual([{ n: 3 }])
  },
)
