import { expect, test } from '@jest/globals'
import { eventually, type TestEnv } from '@notify/dev-env'
import { withLogFields } from '@notify/service-kit'
import { useOwnSchema } from '@notify/test-kit/database'
import type { Queries } from '../src/open.ts'

const poolSize = 4

let env: TestEnv
let db: Queries
useOwnSchema('consent', { poolSize }, (own) => {
  ;({ env, db } = own)
})

const works = <T>(tenant_id: string, work: () => Promise<T>) => withLogFields({ tenant_id }, work)

/** Statements of a tenant, each of which takes until the lock is released. */
const waits = (tenant: string, count: number) =>
  Promise.allSettled(
    Array.from({ length: count }, () =>
      works(tenant, () =>
        db.transaction(async (run) => {
          // They end when the test says so, not by the limits of a statement.
          await run('set local lock_timeout = 0; set local statement_timeout = 0')
          await run('select pg_advisory_xact_lock_shared(7)')
        }),
      ),
    ),
  )
const waiting = async (): Promise<number> =>
  (
    await env.admin.query(
      `select count(*)::int from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
    )
  ).rows[0].count

async function whileLocked(work: () => Promise<void>): Promise<void> {
  const holder = await env.admin.connect()
  await holder.query('select pg_advisory_lock(7)')
  try {
    await work()
  } finally {
    await holder.query('select pg_advisory_unlock(7)')
    holder.release()
  }
}

test('slow statements of a tenant leave connections to others, and to work that belongs to no tenant', async () => {
  // While a busy machine stands still for seconds, some of them are refused.
  await eventually(async () => {
    let all: Promise<PromiseSettledResult<void>[]> | undefined
    await whileLocked(async () => {
      all = waits('ten_busy', 20)
      await eventually(async () => expect(await waiting()).toBe(poolSize / 2), { intervalMs: 20 })
      for (let one = 0; one < 5; one++) {
        expect(await works('ten_neighbour', () => db.run('select 1 as one'))).toEqual([{ one: 1 }])
        expect(await db.run('select 1 as one')).toEqual([{ one: 1 }])
      }
      expect(await waiting()).toBe(poolSize / 2)
    })
    expect((await all!).filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  })
})

test('a statement that fails gives its connection back', async () => {
  const failing = Array.from({ length: 20 }, () => works('ten_busy', () => db.run('select 1 / 0')))
  expect((await Promise.allSettled(failing)).filter(({ status }) => status === 'rejected')).toHaveLength(20)
  expect(await works('ten_busy', () => db.run('select 1 as one'))).toEqual([{ one: 1 }])
})
