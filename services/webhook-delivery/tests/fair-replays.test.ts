import { beforeEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import type { TestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'
import { claimReplays, replayPages } from '../src/replays/replay-pages.ts'
import { insertReplay } from '../src/replays/replay-store.ts'

let kit: TestKit
let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ kit, db } = own)
})
beforeEach(() => db.run('truncate replays, deliveries'))

const start = (tenantId: `ten_${string}`, at: number) =>
  insertReplay(db.run, { tenantId, subscriptionId: `whsub_${tenantId}_${at}`, since: '2026-01-01T00:00:00Z' }, 1)

test('a thousand replays of a tenant delay the one of a neighbour by no more than a round', async () => {
  for (let at = 0; at < 1000; at++) await start('ten_busy', at)
  await start('ten_neighbour', 0)
  const tenants = (await claimReplays(db)).map(({ tenant_id }) => tenant_id).toSorted()
  expect(tenants).toEqual([...Array.from({ length: 4 }, () => 'ten_busy'), 'ten_neighbour'])
})

test('pages that fail are logged, and delay the replay of no other tenant', async () => {
  for (let at = 0; at < 4; at++) await start('ten_busy', at)
  await start('ten_neighbour', 0)
  await db.run(
    `insert into deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, event_type, body, status, created_at, finished_at)
     select $1::text || row_number() over (), tenant_id, 'app', subscription_id, subscription_id, 'notification.failed', '', 'exhausted',
       requested_at - interval '1 second', now()
     from replays`,
    [newId('whdel')],
  )
  // So that this count exceeds its column.
  await db.run(`update replays set replayed = 2147483647 where tenant_id = 'ten_busy'`)
  expect(await replayPages({ db, log: kit.log }, 10)).toBe(1)
  expect(await db.run('select tenant_id from replays where finished_at is not null')).toEqual([
    { tenant_id: 'ten_neighbour' },
  ])
  const failed = kit.lines.filter(({ level }) => level === 50)
  expect(failed).toMatchObject(Array.from({ length: 4 }, () => ({ tenant_id: 'ten_busy' })))
})
