import { expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { endpointsOverdueSeconds } from '../src/endpoints/claim-endpoints.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  db = own.db
})

test('a due endpoint is overdue unless a worker has it, it keeps failing or it is disabled, and nothing is when none waits', async () => {
  expect(await endpointsOverdueSeconds(db.run)).toBe(0)
  const add = (id: string, columns: string) =>
    db.run(
      `insert into endpoints (id, tenant_id, next_due_at, leased_until, struggling, active) values ($1, 'ten_1', ${columns})`,
      [id],
    )
  await add('origin_idle', 'null, null, false, true')
  await add('origin_later', `now() + interval '1 hour', null, false, true`)
  await add('origin_leased', `now() - interval '4 hours', now() + interval '1 hour', false, true`)
  await add('origin_failing', `now() - interval '3 hours', null, true, true`)
  await add('origin_disabled', `now() - interval '2 hours', null, false, false`)
  expect(await endpointsOverdueSeconds(db.run)).toBe(0)
  await add('origin_waiting', `now() - interval '10 minutes', null, false, true`)
  await add('origin_abandoned', `now() - interval '20 minutes', now() - interval '15 minutes', false, true`)
  const lateFor = async (seconds: number) => {
    const overdue = await endpointsOverdueSeconds(db.run)
    expect([overdue >= seconds, overdue < seconds + 300]).toEqual([true, true])
  }
  await lateFor(1200)
  await db.run(`update endpoints set leased_until = now() + interval '1 hour' where id = 'origin_abandoned'`)
  await lateFor(600)
})
