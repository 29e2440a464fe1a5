import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import { createOutboxRetention } from '../src/outbox/retention.ts'
import { outboxTables } from '../src/outbox/tables.ts'
import { makeTables, type Process, startProcess } from './schema.ts'

let env: TestEnv
let one: Process
beforeAll(async () => {
  env = await TestEnv.start([])
  await makeTables(env, outboxTables)
  one = await startProcess(env, { poolSize: 1 })
  await one.db.run('alter table outbox set (autovacuum_enabled = false)')
})
afterAll(async () => {
  await one?.kit.stop()
  await env?.stop()
})
beforeEach(() => one.db.run('truncate outbox'))

/** Messages created and published the given time ago. */
const fill = (count: number, made: string, published: string) =>
  one.db.runLong<{ id: string }>(
    `insert into outbox (id, subject, events, created_at, published_at)
     select uuidv7($2::interval), 'parcels.sent', repeat('x', 100), now() + $2::interval, now() + $3::interval
     from generate_series(1, $1::int) returning id`,
    [count, made, published],
  )

async function pagesRead(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    // A session writes its counts at the end of a transaction, so they are read in the next one.
    await one.db.run('select pg_stat_force_next_flush()')
    const [row] = await one.db.run<{ pages: number }>(
      `select (heap_blks_read + heap_blks_hit)::int as pages from pg_statio_user_tables where relname = 'outbox' and schemaname = current_schema`,
    )
    return row!.pages
  }
  const before = await read()
  await work()
  return (await read()) - before
}

test('rows published seven days ago are deleted; unpublished and newer ones stay', async () => {
  await fill(1500, '-8 days', '-8 days')
  const kept = [...(await fill(1, '-8 days', '-6 days')), ...(await fill(1, '-1 days', '-1 days'))]
  await one.db.run(`insert into outbox (id, subject, events) values (uuidv7('-9 days'), 'parcels.sent', '[]')`)
  const deleteSome = createOutboxRetention(one.db)
  expect([await deleteSome(), await deleteSome(), await deleteSome()]).toEqual([true, false, false])
  expect(await one.db.run('select id from outbox where published_at is not null order by id')).toEqual(kept)
  expect(await one.db.run('select count(*)::int as n from outbox')).toEqual([{ n: 3 }])
})

test('several at once delete each message once, and wait for nobody', async () => {
  await fill(3000, '-8 days', '-8 days')
  const all = Array.from({ length: 3 }, () => createOutboxRetention(one.db))
  await Promise.all(
    all.map(async (deleteSome) => {
      while (await deleteSome());
    }),
  )
  await createOutboxRetention(one.db)()
  expect(await one.db.run('select id from outbox')).toEqual([])
})

test('a batch costs the same while nothing is vacuumed, however many were deleted before', async () => {
  await fill(12_000, '-8 days', '-8 days')
  const deleteSome = createOutboxRetention(one.db)
  const first = await pagesRead(deleteSome)
  for (let n = 0; n < 9; n++) await deleteSome()
  expect(await pagesRead(deleteSome)).toBeLessThan(first * 1.5)
})
