import { beforeEach, expect, test } from '@jest/globals'
import {
  earliestId,
  type Id,
  type NotificationFact,
  newId,
  type TopicPreferenceChange,
  topicPreferenceChanged,
} from '@notify/contracts'
import type { Queries } from '@notify/database'
import { sealEvent } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { useOwnSchema } from '@notify/test-kit/database'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import type { Context } from '../src/context.ts'
import { migrations } from '../src/db/migrations.ts'
import { insertDeliveries, type NewDelivery } from '../src/deliveries/insert-deliveries.ts'
import { createFanOut } from '../src/facts/fan-out.ts'
import { createPostpone, mostAtOnce } from '../src/facts/postponed/postpone.ts'
import { storePostponed } from '../src/facts/postponed/store-postponed.ts'
import { publishPreference } from '../src/facts/publish-preference.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ db } = own)
})

interface Owner {
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
}

let kit: TestKit
/** The number of deliveries of each statement. */
let statements: number[]
let wakes = 0
beforeEach(async () => {
  kit = createTestKit('webhook-delivery')
  statements = []
  wakes = 0
  await db.run('truncate fan_outs, deliveries, subscriptions, endpoints')
})

const keyRing = parseKeyRing(`key:${Buffer.alloc(32, 1).toString('base64')}`)

/** What reads the events, with this ring of keys. */
function contextWith(ring = keyRing) {
  const base = {
    ...{ db, log: kit.log, metrics: { stored: () => {}, postponed: () => {} } },
    config: { WEBHOOK_RETENTION: 86_400_000, WEBHOOK_ORDER_LIMIT: 120_000 },
    secrets: { keyRing: ring, renewIndex: (_: string, index: string) => index },
    async storeDeliveries(deliveries: readonly NewDelivery[]) {
      statements.push(deliveries.length)
      await insertDeliveries(db.run, deliveries)
      return new Set(deliveries.map(({ id }) => id))
    },
  } as unknown as Context & Parameters<typeof storePostponed>[0]
  return { ...base, postpone: createPostpone(base, () => void wakes++) }
}

async function subscribe(count: number, events = '{notification.failed,notification.delivered,preference.changed}') {
  const owner: Owner = { tenant_id: newId('ten'), application_id: newId('app') }
  await db.run(
    `insert into subscriptions (id, tenant_id, application_id, provider_id, url, events, description, created_at, updated_at)
     select id, $2, $3, $4, '', $5, '', now() - interval '1 hour', now() - interval '1 hour' from unnest($1::text[]) as id`,
    [Array.from({ length: count }, () => newId('whsub')), owner.tenant_id, owner.application_id, newId('prov'), events],
  )
  return owner
}

function changeOf(owner: Owner, given: Partial<TopicPreferenceChange> = {}) {
  const change_id = newId('pref')
  return sealEvent(
    keyRing,
    topicPreferenceChanged,
    {
      ...{ ...owner, change_id, mode: 'live', recipient_index: 'index', topic: 'news', channel: '*', state: 'off' },
      ...{ source: 'api', occurred_at: new Date().toISOString(), ...given },
    },
    { user_id: 'ada' },
  )
}

function publishChange(change: TopicPreferenceChange): Promise<void> {
  return publishPreference(contextWith() as unknown as Parameters<typeof publishPreference>[0], change, undefined)
}

const fact = (owner: Owner, fields: Partial<NotificationFact> = {}) =>
  ({
    ...{
      ...owner,
      mode: 'live',
      channel: 'sms',
      event_key: null,
      status: 'delivered',
      notification_id: newId('notif'),
    },
    ...{ recipient_masked: '+1***', recipient_index: 'index', metadata: null, failure_reason: null, retry_count: 0 },
    ...{ created_at: new Date().toISOString(), occurred_at: new Date().toISOString() },
    ...fields,
  }) as NotificationFact

/** Gives facts to the service at the same moment. */
async function publish(facts: readonly NotificationFact[]): Promise<void> {
  const fanOut = createFanOut(contextWith())
  await Promise.all(facts.map((one) => fanOut(one, undefined)))
}

async function storeAll(): Promise<number> {
  let rounds = 0
  while (await storePostponed(contextWith())) rounds++
  return rounds
}

const countOf = async (owner: Owner) =>
  (
    await db.run<{ count: number }>('select count(*)::int as count from deliveries where tenant_id = $1', [
      owner.tenant_id,
    ])
  )[0]!.count
const waiting = async () =>
  (await db.run<{ id: string; tenant_id: string }>('select id, tenant_id from fan_outs')).length

test('events with many subscribers wait, and delay no event of another tenant that comes with them', async () => {
  const [crowd, neighbour] = [await subscribe(50), await subscribe(1)]
  const facts = Array.from({ length: 20 }, () => fact(crowd))
  await publish([...facts, fact(neighbour)])
  expect(await countOf(neighbour)).toBe(1)
  expect(Math.max(...statements)).toBeLessThanOrEqual(mostAtOnce + 1)
  expect([await waiting(), wakes]).toEqual([18, 1])
  await storeAll()
  expect([await countOf(crowd), await waiting()]).toEqual([1000, 0])
})

test('an event is stored once for each subscriber, also when it comes again before and after its deliveries', async () => {
  const crowd = await subscribe(150)
  const facts = [fact(crowd), fact(crowd)]
  await publish(facts)
  await publish(facts)
  expect(await waiting()).toBe(2)
  await storeAll()
  await publish(facts)
  await storeAll()
  expect([await countOf(crowd), await waiting()]).toEqual([300, 0])
})

test('an event of more subscribers than a statement takes is stored in several', async () => {
  const crowd = await subscribe(600)
  await publish([fact(crowd)])
  await storeAll()
  expect([statements, await countOf(crowd)]).toEqual([[256, 256, 88], 600])
})

test('tenants take turns: what one of them has waiting delays no event of another', async () => {
  const [crowd, neighbour] = [await subscribe(150), await subscribe(150)]
  for (let at = 0; at < 4; at++) await publish(Array.from({ length: 75 }, () => fact(crowd)))
  await publish([fact(neighbour)])
  expect(await waiting()).toBe(301)
  await storePostponed(contextWith())
  expect([await countOf(crowd), await countOf(neighbour)]).toEqual([150, 150])
})

test('tenants whose events are not due yet do not delay the due event of another', async () => {
  const owners = await Promise.all(Array.from({ length: 100 }, () => subscribe(1)))
  for (const owner of owners) await publish([rounds(owner).delivered(1)])
  await db.run(`update fan_outs set next_at = now() + interval '1 minute'`)
  const neighbour = await subscribe(150)
  await publish([fact(neighbour)])
  expect(await waiting()).toBe(101)
  expect(await storePostponed(contextWith())).toBe(true)
  expect(await countOf(neighbour)).toBe(150)
})

test('the events that a dying worker had claimed are stored when its claim has ended', async () => {
  const crowd = await subscribe(150)
  await publish([fact(crowd)])
  const dying = contextWith()
  dying.storeDeliveries = () => Promise.reject(new Error('killed'))
  expect(await storePostponed(dying)).toBe(true)
  expect(await storePostponed(contextWith())).toBe(false)
  expect([await countOf(crowd), await waiting()]).toEqual([0, 1])
  await db.run(`update fan_outs set next_at = now() where next_at < now() + interval '31 seconds'`)
  await storeAll()
  expect([await countOf(crowd), await waiting()]).toEqual([150, 0])
})

test('an event that cannot be read waits and is logged, and delays no other', async () => {
  const [crowd, neighbour] = [await subscribe(70), await subscribe(150)]
  const [bad, ...good] = Array.from({ length: 4 }, () => fact(crowd))
  await publish([bad!, ...good, fact(neighbour)])
  expect(await waiting()).toBe(4)
  await db.run(`update fan_outs set event = 'x' where id like $1`, [`${good[0]!.notification_id}%`])
  await storeAll()
  expect([await countOf(crowd), await countOf(neighbour), await waiting()]).toEqual([210, 150, 1])
  const failed = { tenant_id: crowd.tenant_id, event: expect.stringContaining(good[0]!.notification_id) }
  expect(kit.lines.filter(({ level }) => level === 50)).toMatchObject([failed])
})

/** Facts of one message that was accepted after its subscribers subscribed. */
function rounds(owner: Owner, occurredMs = Date.now()) {
  const created_at = new Date(Date.now() + 10_000).toISOString()
  const same = { notification_id: newId('notif'), created_at, occurred_at: new Date(occurredMs).toISOString() }
  return {
    failed: (retry_count: number) => fact(owner, { ...same, retry_count, status: 'failed' }),
    delivered: (retry_count: number) => fact(owner, { ...same, retry_count, after_failure: true }),
  }
}

const sendAll = () => db.run(`update deliveries set status = 'succeeded', charged = 1`)
const makeDue = () => db.run('update fan_outs set next_at = now()')
/** As if all events had waited these seconds longer. */
const letWait = (seconds: number) =>
  db.run(`update fan_outs set next_at = now(), created_at = created_at - make_interval(secs => $1)`, [seconds])

test('of two facts of one message that come together, the first is stored and only the second waits', async () => {
  const owner = await subscribe(1)
  const { failed, delivered } = rounds(owner)
  await publish([failed(0)])
  await sendAll()
  await publish([failed(1), delivered(1)])
  expect([await countOf(owner), await waiting()]).toEqual([2, 1])
  await storeAll()
  await makeDue()
  await storeAll()
  expect([await countOf(owner), await waiting()]).toEqual([2, 1])
  await sendAll()
  await makeDue()
  await storeAll()
  expect([await countOf(owner), await waiting()]).toEqual([3, 0])
})

test('a fact waits for the one before it as long as that one waits for its turn, however old both are', async () => {
  const owner = await subscribe(150)
  const { failed, delivered } = rounds(owner, Date.now() - 60_000)
  await publish([failed(0)])
  expect([await countOf(owner), await waiting()]).toEqual([0, 1])
  await publish([delivered(0)])
  await letWait(60)
  await db.run(
    `update fan_outs set next_at = now() + case when id like '%failed%' then interval '1 minute' else '0' end`,
  )
  await storeAll()
  expect([await countOf(owner), await waiting()]).toEqual([0, 2])
  await makeDue()
  await storeAll()
  expect([await countOf(owner), await waiting()]).toEqual([150, 1])
  await sendAll()
  await makeDue()
  await storeAll()
  expect([await countOf(owner), await waiting()]).toEqual([300, 0])
})

test('facts that come long after they occurred, as after an outage, wait for those before them as well', async () => {
  const owner = await subscribe(1)
  const { failed, delivered } = rounds(owner, Date.now() - 60_000)
  await publish([delivered(0), failed(0)])
  expect([await countOf(owner), await waiting()]).toEqual([1, 1])
  await sendAll()
  await makeDue()
  await storeAll()
  expect([await countOf(owner), await waiting()]).toEqual([2, 0])
})

test('a fact whose predecessor never comes is stored after 20 s, and at once when that one would have been deleted', async () => {
  const owner = await subscribe(3)
  await publish([rounds(owner).delivered(1)])
  await letWait(15)
  await storeAll()
  expect([await countOf(owner), await waiting()]).toEqual([0, 1])
  await letWait(6)
  await storeAll()
  expect([await countOf(owner), await waiting()]).toEqual([3, 0])
  await publish([{ ...rounds(owner).delivered(1), created_at: new Date(Date.now() - 2 * 86_400_000).toISOString() }])
  expect([await countOf(owner), await waiting()]).toEqual([6, 0])
})

test('a changed preference with many subscribers waits as well, and is stored once for each', async () => {
  const crowd = await subscribe(20)
  const change = changeOf(crowd)
  await publishChange(change)
  await publishChange(change)
  expect([await countOf(crowd), await waiting()]).toEqual([0, 1])
  await storeAll()
  await publishChange(change)
  await storeAll()
  expect([await countOf(crowd), await waiting()]).toEqual([20, 0])
})

test('a choice is reported if its id or its time is later than the subscription: a clock that is behind loses none', async () => {
  const owner = await subscribe(1)
  const before = Date.now() - 2 * 3_600_000
  const [oldId, oldTime] = [earliestId('pref', before), new Date(before).toISOString()]
  await publishChange(changeOf(owner, { change_id: oldId, occurred_at: oldTime }))
  expect(await countOf(owner)).toBe(0)
  await publishChange(changeOf(owner, { change_id: oldId }))
  expect(await countOf(owner)).toBe(1)
  await publishChange(changeOf(owner, { occurred_at: oldTime }))
  expect(await countOf(owner)).toBe(2)
})
