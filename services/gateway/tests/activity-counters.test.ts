import { expect, jest, test } from '@jest/globals'
import { earliestId, newId } from '@notify/contracts'
import { isDeadlock, isLockTimeout, type Queries } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'
import { itemOf, storeItems } from '@notify/test-kit/activity'
import { useOwnSchema } from '@notify/test-kit/database'
import { type ActivityFact, projectFacts } from '../src/activity/project-facts.ts'
import { createItemDeletion, deleteEmptyBuckets, endOldRetries } from '../src/activity/retention-store.ts'
import { migrations } from '../src/db/migrations.ts'

const dayMs = 86_400_000

let env: TestEnv
let db: Queries
useOwnSchema('gateway', { migrations }, (own) => {
  ;({ env, db } = own)
})

/** Facts that wait for others on a busy machine come again. */
const project = (all: readonly ActivityFact[]): Promise<void> =>
  projectFacts(db, all).catch((error) => {
    if (isDeadlock(error) || !isLockTimeout(error)) throw error
    return project(all)
  })

/** Every counter that is not 0, as it is kept, and as it is when the items are counted. */
async function expectExactCounters(): Promise<void> {
  const kinds = 'tenant_id, event_key, application_id, mode, channel, status, retryable'
  const [totals, counted] = await Promise.all([
    db.run(`select ${kinds}, count::int from activity_totals where count <> 0 order by 1, 2, 3, 4, 5, 6, 7`),
    db.run(`select tenant_id, e as event_key, application_id, mode, channel, status, retryable, count(*)::int
      from activity cross join lateral unnest(array_remove(array[event_key, ''], null)) as e
      group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7`),
  ])
  expect(totals).toEqual(counted)
  const [buckets, countedByTime] = await Promise.all([
    db.run(`select tenant_id, application_id, width, starts_at, mode, channel, status, count::int from activity_buckets
      where count <> 0 order by 1, 2, 3, 4, 5, 6, 7`),
    db.run(`select tenant_id, a as application_id, width, date_trunc(width, created_at, 'UTC') as starts_at, mode, channel,
        status, count(*)::int
      from activity cross join unnest(array['hour', 'day']) as width cross join lateral unnest(array[application_id, '']) as a
      group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7`),
  ])
  expect(buckets).toEqual(countedByTime)
}

const facts = (ids: readonly string[], revision: number, status: ActivityFact['status']): ActivityFact[] =>
  ids.toSorted().map((id, n) => ({
    notification_id: id as `notif_${string}`,
    tenant_id: 'ten_2' as `ten_${string}`,
    application_id: `app_${n % 2}` as `app_${string}`,
    mode: n % 5 === 0 ? 'test' : 'live',
    revision,
    channel: n % 3 === 0 ? 'email' : 'sms',
    event_key: n % 4 === 0 ? null : 'order.shipped',
    status,
    recipient_masked: '+1',
    recipient_index: 'index',
    failure_reason: null,
    retryable: status === 'failed' && n % 2 === 0,
    retry_count: 0,
    created_at: new Date(Date.UTC(2026, 10, 1) + n * 1_700_000).toISOString(),
    occurred_at: new Date().toISOString(),
  }))

test('items that any statement inserts, changes or deletes are counted', async () => {
  await db.run(
    `insert into activity (id, tenant_id, application_id, revision, mode, channel, status, event_key, recipient_masked,
       recipient_index, retryable, retry_count, created_at, updated_at)
     select 'notif_0' || gen_random_uuid(), 'ten_1', 'app_' || n % 3, 1, 'live', 'sms', (array['queued', 'failed'])[n % 2 + 1],
       case when n % 3 > 0 then 'event.' || n % 4 end, '+1', 'index', n % 4 = 1, 0, now() - n * interval '7 minutes', now()
     from generate_series(1, 1500) n`,
  )
  await expectExactCounters()
  await db.run(`update activity set status = 'sent' where status = 'queued' and event_key is null`)
  await db.run('delete from activity where retryable')
  expect(await db.run(`select sum(count)::int as n from activity_totals where event_key = ''`)).toEqual([{ n: 1125 }])
  await expectExactCounters()
})

test('facts that come again, late and from many at once are counted as the items they leave', async () => {
  const ids = Array.from({ length: 200 }, () => newId('notif'))
  const rounds = [facts(ids, 1, 'queued'), facts(ids.slice(0, 150), 2, 'failed'), facts(ids.slice(50), 3, 'delivered')]
  await Promise.all([...rounds, ...rounds.toReversed()].map((round) => project(round)))
  await expectExactCounters()
  await projectFacts(db, rounds[1]!)
  await expectExactCounters()
  const found = await db.run(
    `select status, count(*)::int as n from activity where tenant_id = 'ten_2' group by 1 order by 1`,
  )
  expect(found).toEqual([
    { status: 'delivered', n: 150 },
    { status: 'failed', n: 50 },
  ])
})

test('batches that count the same kinds in opposite orders are both written', async () => {
  // Between the counting of inserted and of updated items, so that each batch holds what the other one needs.
  await db.run(
    `create function pause() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return null; end'`,
  )
  for (const event of ['insert', 'update'])
    await db.run(
      `create trigger a_pause_${event} after ${event} on activity for each statement execute function pause()`,
    )
  const ids = Array.from({ length: 4 }, () => [newId('notif'), newId('notif')])
  const of = (tenant_id: `ten_${string}`, at: number, revision: number, status: ActivityFact['status']) =>
    facts(ids[at]!, revision, status).map((fact) => ({ ...fact, tenant_id }))
  try {
    await projectFacts(db, [...of('ten_3', 0, 1, 'queued'), ...of('ten_4', 1, 1, 'queued')])
    await Promise.all([
      project([...of('ten_3', 0, 2, 'sent'), ...of('ten_4', 2, 1, 'queued')]),
      project([...of('ten_4', 1, 2, 'sent'), ...of('ten_3', 3, 1, 'queued')]),
    ])
  } finally {
    await db.run('drop function pause cascade')
  }
  await expectExactCounters()
})

/** Work while the clock of this process is wrong. */
async function withClockAhead(ms: number, work: () => Promise<unknown>): Promise<void> {
  const nowMs = Date.now()
  const clock = jest.spyOn(Date, 'now').mockReturnValue(nowMs + ms)
  try {
    await work()
  } finally {
    clock.mockRestore()
  }
}

test('items whose messages dispatch has deleted are not retryable, and the counters follow', async () => {
  const failed = (days: number, fields: object = {}) =>
    itemOf(env, {
      ...{ status: 'failed', retryable: true, event_key: 'order.shipped' },
      created_at: new Date(Date.now() - days * dayMs).toISOString(),
      ...fields,
    })
  const old = [failed(31), failed(200), ...Array.from({ length: 1100 }, () => failed(40, { channel: 'email' }))]
  const [recent, retried] = [failed(29), failed(60)]
  await storeItems(env, [...old, recent, retried])
  await db.run('update activity set updated_at = now() where id = $1', [retried.id])
  while (await endOldRetries(db, 30 * dayMs));
  const left = await db.run<{ id: string }>('select id from activity where tenant_id = $1 and retryable', [
    env.tenantId,
  ])
  expect(left.map(({ id }) => id).sort()).toEqual([recent.id, retried.id].sort())
  await expectExactCounters()
  await db.run('delete from activity where tenant_id = $1', [env.tenantId])
})

test('old items are deleted in batches by several at once, and the counters follow', async () => {
  const old = (prefix: 'notif' | 'otp', ageMs: number) =>
    `${earliestId(prefix, Date.now() - ageMs).slice(0, -9)}${crypto.randomUUID().slice(0, 8).replaceAll('o', '0')}0`
  const items = Array.from({ length: 1100 }, (_, n) =>
    itemOf(env, {
      id: old(n % 10 === 0 ? 'otp' : 'notif', 400 * dayMs),
      created_at: new Date(Date.now() - 400 * dayMs).toISOString(),
    }),
  )
  const kept = itemOf(env, {
    id: old('notif', 390 * dayMs),
    created_at: new Date(Date.now() - 390 * dayMs).toISOString(),
  })
  await storeItems(env, [...items, kept])
  const [one, another] = [createItemDeletion(db), createItemDeletion(db)]
  await Promise.all([one(395 * dayMs), another(395 * dayMs)])
  while ((await one(395 * dayMs)) || (await another(395 * dayMs)));
  await withClockAhead(400 * dayMs, () => createItemDeletion(db)(395 * dayMs))
  const left = await db.run('select id from activity where tenant_id = $1', [env.tenantId])
  expect(left).toEqual([{ id: kept.id }])
  await expectExactCounters()
  await deleteEmptyBuckets(db, 395 * dayMs)
  expect(
    await db.run('select from activity_buckets where count = 0 and starts_at < $1', [
      new Date(Date.now() - 395 * dayMs),
    ]),
  ).toEqual([])
  await expectExactCounters()
})
