import { expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { pagesReadOnceRefilled, useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { createCallbackDeletion } from '../src/records/callback-store.ts'

let db: Queries
useOwnSchema('callbacks', { migrations }, (own) => {
  db = own.db
})

const fill = (name: string, count: number, age: string) =>
  db.run(
    `insert into received_callbacks (provider_id, provider_message_id, status, received_at)
     select 'prov_1', $1 || n, 'sent', now() - $3::interval from generate_series(1, $2::int) n`,
    [name, count, age],
  )

test('older rows are deleted, by several processes at once', async () => {
  // Of one moment, as the rows of one statement are, and more than a batch.
  await fill('old', 2500, '14 days 1 hour')
  await fill('older', 1200, '17 days')
  await fill('kept', 3, '14 days -1 hour')
  const replicas = [createCallbackDeletion(db), createCallbackDeletion(db)]
  await Promise.all(
    replicas.map(async (deleteSome) => {
      while (await deleteSome());
    }),
  )
  while (await replicas[0]!());
  await createCallbackDeletion(db)()
  expect(await db.run('select count(*)::int as n from received_callbacks')).toEqual([{ n: 3 }])
})

test('a deletion with nothing due reads a few pages, also once new rows have taken the pages of deleted ones', async () => {
  const pages = await pagesReadOnceRefilled(db, {
    table: 'received_callbacks',
    fill: (days) => fill(crypto.randomUUID(), 10_000, `${days} days`),
    createDeletion: createCallbackDeletion,
  })
  expect(pages).toBeLessThan(20)
})
