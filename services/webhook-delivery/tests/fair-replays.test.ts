import { expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { claimReplays } from '../src/replays/replay-pages.ts'
import { insertReplay } from '../src/replays/replay-store.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ db } = own)
})

const start = (tenantId: `ten_${string}`, at: number) =>
  insertReplay(db.run, { tenantId, subscriptionId: `whsub_${tenantId}_${at}`, since: '2026-01-01T00:00:00Z' }, 1)

test('a thousand replays of a tenant delay the one of a neighbour by no more than a round', async () => {
  for (let at = 0; at < 1000; at++) await start('ten_busy', at)
  await start('ten_neighbour', 0)
  const tenants = (await claimReplays(db)).map(({ tenant_id }) => tenant_id).toSorted()
  expect(tenants).toEqual([...Array.from({ length: 4 }, () => 'ten_busy'), 'ten_neighbour'])
})
