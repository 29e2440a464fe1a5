import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { countRowsRead } from '@notify/test-kit/database'
import { claimDigests } from '../src/audiences/digests/due-store.ts'
import { channels } from '../src/channels/registry.ts'
import { endExpiredNotifications } from '../src/deliver/schedule/expiry-store.ts'
import { scheduleBatch } from '../src/deliver/schedule/open-sql.ts'
import { requeueLostWork } from '../src/deliver/schedule/requeue-lost-work.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import { mostHandOffBytes } from '../src/outcome/hand-offs/work-sql.ts'
import { askForSent } from '../src/outcome/inquiries/ask-for-sent.ts'
import { db } from './own-schema.ts'

const backlog = 10_000
const tables = ['in_flight', 'notifications']

interface Due {
  count: number
  lane: string
  dueAgo: number
  /** Further columns, as SQL. */
  more?: Record<string, string>
}

/** Messages of a tenant that became due this many seconds ago. */
const addDue = (tenant: string, columns: Record<string, string>, { count, lane, dueAgo, more = {} }: Due) => {
  const all = { channel: `'sms'`, payload: `''`, ...columns, ...more }
  return db.runLong(
    `insert into notifications (id, tenant_id, application_id, lane, mode, recipient_masked, recipient_index, credits,
       ${Object.keys(all).join(', ')})
     select 'notif_' || gen_random_uuid(), $1, 'app of ' || $1, $3, 'live', '+1***', 'index ' || i, 1,
       ${Object.values(all).join(', ')}
     from generate_series(1, $2::int) as i, (select now() - make_interval(secs => $4)) as at (due)`,
    [tenant, count, lane, dueAgo],
  )
}

/** What became of the messages, by tenant and lane. */
const countTaken = async (condition: string) =>
  (
    await db.run<{ taken: string }>(
      `select concat_ws(' ', tenant_id, lane, count(*)) as taken from notifications where ${condition}
       group by tenant_id, lane order by 1`,
    )
  ).map(({ taken }) => taken)

const claims = [
  {
    kind: 'scheduled',
    columns: { status: `'scheduled'`, send_at: 'due', next_attempt_at: 'due' },
    take: (on: Queries) => takeDueNotifications(on, channels),
    taken: `status = 'queued' and send_at is not null`,
  },
  {
    kind: 'expiring',
    columns: { expires_at: 'due' },
    take: (on: Queries) => endExpiredNotifications(on),
    taken: `failure_reason = 'expired'`,
  },
]

describe.each(claims)('$kind messages', ({ columns, take, taken }) => {
  beforeEach(async () => {
    await db.run('truncate notifications, in_flight')
    await take(db)
    await addDue('busy', columns, { count: backlog, lane: 'bulk', dueAgo: 60 })
    await addDue('busy', columns, { count: backlog, lane: 'transactional', dueAgo: -3600 })
  })

  test(`${backlog} of a tenant that are due at once delay neither those of another nor its own codes`, async () => {
    await addDue('busy', columns, { count: 1, lane: 'otp', dueAgo: 2 })
    await addDue('neighbour', columns, { count: 1, lane: 'transactional', dueAgo: 1 })
    await db.run('analyze in_flight')
    expect(await countRowsRead(db, ['in_flight'], take)).toBeLessThan(4 * scheduleBatch)
    expect(await countTaken(taken)).toEqual(['busy bulk 166', 'busy otp 1', 'neighbour transactional 1'])
  })

  test('a tenant alone has the whole batch', async () => {
    await take(db)
    expect(await countTaken(taken)).toEqual([`busy bulk ${scheduleBatch}`])
  })
})

test(`${backlog} messages that wait for a receipt, with nothing left to erase, are not looked at when others expire`, async () => {
  await db.run('truncate notifications, in_flight')
  const more = { status: `'sent'`, payload: 'null' }
  await addDue('busy', { expires_at: 'due' }, { count: backlog, lane: 'otp', dueAgo: 60, more })
  await addDue('neighbour', { expires_at: 'due' }, { count: 1, lane: 'otp', dueAgo: 1 })
  await db.run('analyze in_flight')
  expect(await countRowsRead(db, tables, endExpiredNotifications)).toBeLessThan(100)
  expect(await countTaken(`failure_reason = 'expired'`)).toEqual(['neighbour otp 1'])
})

const takeFew = async () => (await takeDueNotifications(db, channels, 100)).reduce((sum, { count }) => sum + count, 0)
const expired = { expires_at: 'due', next_attempt_at: 'due' }

test.each([
  {
    kind: 'wait',
    columns: { expires_at: 'due' },
    end: async () => (await endExpiredNotifications(db, 1500)).count,
  },
  { kind: 'are due', columns: { ...expired, status: `'scheduled'` }, end: takeFew },
  { kind: 'are given up', columns: { ...expired, when_due: `'give_up'` }, end: takeFew },
])(
  'expired messages that $kind, with files larger than one statement erases, end in several rounds, and delay no other tenant',
  async ({ columns, end }) => {
    await db.run('truncate notifications, in_flight')
    const lane = 'transactional'
    await addDue('busy', columns, { count: 5, lane, dueAgo: 60 })
    await db.run(
      `insert into attachments (id, tenant_id, content)
       select id, tenant_id, decode(repeat('ab', 1000), 'hex') from notifications`,
    )
    await addDue('neighbour', columns, { count: 3, lane, dueAgo: 1 })
    const rounds: number[] = []
    for (let round = 0; round < 4; round++) rounds.push(await end())
    expect(rounds).toEqual([2 + 3, 2, 1, 0])
    expect(await db.run('select id from attachments')).toEqual([])
  },
)

test(`${backlog} lost hand-offs of a tenant, in many applications, do not delay those of another`, async () => {
  await db.run('truncate notifications, in_flight')
  const lost = { count: 1, lane: 'transactional', dueAgo: 3600 }
  const columns = { enqueued_at: 'due' }
  await addDue('busy', columns, { ...lost, count: backlog })
  for (const table of tables) await db.runLong(`update ${table} set application_id = 'app ' || (id < 'notif_8')`)
  await addDue('neighbour', columns, lost)
  await addDue('idle', columns, { ...lost, dueAgo: 0 })
  const lane = { lane: 'transactional', channel: 'sms', delivered_ms_ago: 60_000 }
  expect(await requeueLostWork(db, channels, [lane])).toBe(251)
  const again = await db.run(
    `select tenant_id, count(*)::int from in_flight where enqueued_at > now() - interval '1 minute' and tenant_id <> 'idle'
     group by tenant_id, application_id order by 1, 2`,
  )
  expect(again).toEqual([
    { tenant_id: 'busy', count: 125 },
    { tenant_id: 'busy', count: 125 },
    { tenant_id: 'neighbour', count: 1 },
  ])
})

describe('of digests with many items', () => {
  const addDigests = (tenant: string, count: number, joined: number) =>
    db.run(
      `insert into digests (id, tenant_id, application_id, mode, channel, lane, event_key, key, opened_at, latest_at, show, joined,
         closes_at, due_at)
       select 'dig_' || gen_random_uuid(), $1, 'app', 'live', 'sms', 'bulk', 'news', $1 || i, now(), now(), 10, $3, now(), now()
       from generate_series(1, $2::int) as i`,
      [tenant, count, joined],
    )
  const claimed = async () => {
    const digests = await claimDigests(db, 100, 60_000)
    return [...Map.groupBy(digests, ({ tenant_id }) => tenant_id as string)]
      .map(([tenant, { length }]) => `${tenant} ${length}`)
      .toSorted()
  }

  beforeEach(() => db.run('truncate digests'))

  test('a worker takes few at a time, so that they delay those of no other tenant', async () => {
    await addDigests('busy', 24, 10_000)
    await addDigests('neighbour', 25, 1)
    expect(await claimed()).toEqual(['busy 1', 'neighbour 25'])
    await addDigests('late', 1, 1)
    expect(await claimed()).toEqual(['busy 1', 'late 1'])
  })

  test('a digest of more items than are closed together is taken alone', async () => {
    await addDigests('busy', 2, 50_000)
    expect(await claimed()).toEqual(['busy 1'])
    expect(await claimed()).toEqual(['busy 1'])
    expect(await claimed()).toEqual([])
  })

  test('of many tenants with such digests, a worker takes those of a few', async () => {
    for (let tenant = 0; tenant < 9; tenant++) await addDigests(`busy ${tenant}`, 1, 10_000)
    for (let round = 0; round < 3; round++) expect(await claimed()).toHaveLength(3)
    expect(await claimed()).toEqual([])
  })
})

describe('of hand-offs with large payloads', () => {
  const count = 40
  const bytes = 400_000
  /** As many as one statement writes, with the one that exceeds the limit. */
  const most = Math.ceil(mostHandOffBytes / bytes)
  const large = { channel: `'webhook'`, payload: `decode(repeat('ab', ${bytes}), 'hex')` }
  const small = { channel: `'webhook'`, payload: `decode(repeat('ab', 1000), 'hex')` }
  const lane = 'transactional'

  beforeEach(() => db.run('truncate notifications, in_flight, outbox'))

  test('those that are due at once are handed over in several rounds, and delay no other tenant', async () => {
    const columns = { status: `'scheduled'`, send_at: 'due', next_attempt_at: 'due' }
    await addDue('busy', columns, { count, lane, dueAgo: 60, more: large })
    await addDue('neighbour', columns, { count: 100, lane, dueAgo: 1, more: small })
    await takeDueNotifications(db, channels)
    const taken = `status = 'queued' and send_at is not null`
    expect(await countTaken(taken)).toEqual([`busy ${lane} ${most}`, `neighbour ${lane} 100`])
    for (let rounds = 1; rounds * most < count; rounds++) await takeDueNotifications(db, channels)
    expect(await countTaken(taken)).toEqual([`busy ${lane} ${count}`, `neighbour ${lane} 100`])
  })

  test('those that are lost are handed over again in several rounds', async () => {
    await addDue('busy', { enqueued_at: 'due' }, { count, lane, dueAgo: 3600, more: large })
    const requeue = () => requeueLostWork(db, channels, [{ lane, channel: 'webhook', delivered_ms_ago: 60_000 }])
    const rounds: number[] = []
    while (rounds.at(-1) !== 0) rounds.push(await requeue())
    expect(rounds).toEqual([...Array(3).fill(most), count - 3 * most, 0])
  })

  test('those that are lost delay no other tenant either', async () => {
    await addDue('busy', { enqueued_at: 'due' }, { count, lane, dueAgo: 3600, more: large })
    await addDue('neighbour', { enqueued_at: 'due' }, { count: 100, lane, dueAgo: 3600, more: small })
    await requeueLostWork(db, channels, [{ lane, channel: 'webhook', delivered_ms_ago: 60_000 }])
    expect(await countTaken(`enqueued_at > now() - interval '1 minute'`)).toEqual([
      `busy ${lane} ${most}`,
      `neighbour ${lane} 100`,
    ])
  })

  test('those without a report are handed over again in several pages', async () => {
    const ended = { ...large, status: `'sent'` }
    await addDue('busy', {}, { count, lane, dueAgo: 60, more: ended })
    const asked: number[] = []
    let after = '2020-01-01T00:00:00.000Z'
    for (let more = true; more; ) {
      const page = await askForSent(db, channels, after, new Date(Date.now() + 3_600_000))
      asked.push(page.asked)
      more = page.more
      after = page.reached!
    }
    expect(asked.reduce((sum, one) => sum + one, 0)).toBe(count)
    expect(Math.max(...asked)).toBe(most)
  })
})
