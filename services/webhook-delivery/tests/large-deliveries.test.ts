import { beforeEach, expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { mostTakenBytes, type Share, takeShares } from '../src/deliveries/take-deliveries.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ db } = own)
})
beforeEach(() => db.run('truncate endpoints, deliveries, attempts'))

const bytes = 500_000

/** Stores due deliveries of an endpoint, the first of which is the longest due. */
async function store(endpoint: string, count: number, bodyBytes: number): Promise<void> {
  await db.run(`insert into endpoints (id, tenant_id, next_due_at) values ($1, 'ten_1', now())`, [endpoint])
  await db.runLong(
    `insert into deliveries (id, tenant_id, application_id, endpoint_id, event_type, body, next_attempt_at)
     select 'whdel_' || gen_random_uuid(), 'ten_1', 'app_1', $1, 'order.shipped', decode(repeat('ab', $3::int), 'hex'),
       now() - i * interval '1 second' from generate_series(1, $2::int) as i`,
    [endpoint, count, bodyBytes],
  )
}

/** Takes as a worker does that has this room for each endpoint. */
const take = (endpoints: readonly string[], room = 64) =>
  takeShares(
    db.run,
    endpoints.map((endpoint_id) => ({ endpoint_id, room })),
    600_000,
  )

const counted = ({ deliveries, hasMore }: Share) => [deliveries.length, hasMore]

test('large deliveries are taken few at a time, until all are, and delay those of no other endpoint', async () => {
  const [large, small] = ['origin_large', 'origin_small']
  await store(large, 20, bytes)
  await store(small, 63, 1)
  const shares = await take([large, small])
  expect(shares.map(counted)).toEqual([
    [Math.ceil(mostTakenBytes / bytes), true],
    [63, true],
  ])
  const taken = shares[0]!.deliveries.map(({ id }) => id)
  for (let hasMore = true; hasMore; ) {
    const [share] = await take([large])
    taken.push(...share!.deliveries.map(({ id }) => id))
    hasMore = share!.hasMore
  }
  expect([taken.length, new Set(taken).size]).toEqual([20, 20])
})

test('each endpoint gets a delivery, however large those of the others are', async () => {
  const endpoints = Array.from({ length: 6 }, (_, at) => `origin_${at}`)
  for (const endpoint of endpoints) await store(endpoint, 2, bytes)
  for (let round = 0; round < 2; round++) {
    const shares = await take(endpoints)
    expect(shares.map(({ deliveries }) => deliveries.map(({ endpoint_id }) => endpoint_id))).toEqual(
      endpoints.map((endpoint) => [endpoint]),
    )
  }
  expect(await take(endpoints)).toEqual(endpoints.map(() => ({ deliveries: [], hasMore: false })))
})

test('small deliveries are taken as far as there is room, and fewer than that are all', async () => {
  await store('origin_small', 65, 1000)
  const taken = [...(await take(['origin_small'])), ...(await take(['origin_small']))]
  expect(taken.map(counted)).toEqual([
    [64, true],
    [1, false],
  ])
})
