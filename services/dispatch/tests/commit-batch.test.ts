import { expect, test } from '@jest/globals'
import { type Lane, newId } from '@notify/contracts'
import { findAnswers, lockTimeoutMs } from '@notify/database'
import { eventually } from '@notify/dev-env'
import { Problem } from '@notify/service-kit'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import type { NewNotification } from '../src/accept/accept-item.ts'
import { commitBatch } from '../src/accept/commit-batch.ts'
import { commitJudged, createLockWatch, type WatchLocks } from '../src/accept/commit-judged.ts'
import { suppress } from '../src/catalogue/suppressions/suppression-store.ts'
import { claimForSending } from '../src/deliver/claim/claim-store.ts'
import { holdKey } from './hold-key.ts'
import { db, env } from './own-schema.ts'
import { toyChannels as channels } from './toy-channels/toy-channels.ts'

const principal = newKeyPrincipal()

function notification(lane: Lane = 'transactional', key?: string): NewNotification {
  return {
    candidate: {
      notificationId: newId('notif'),
      principal,
      request: {
        channel: 'sms',
        recipient: '+14155550100',
        event_key: 'order.shipped',
        priority: lane === 'bulk' ? lane : 'transactional',
      },
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      isAwaited: () => true,
      idempotency: key ? { scope: 'test', key, fingerprint: 'f' } : undefined,
    },
    channel: 'sms',
    lane,
    recipientMasked: '+14*****0100',
    recipientIndex: 'index',
    metadata: undefined,
    payload: Buffer.from('sealed'),
    sendAt: undefined,
    credits: 1,
    category: null,
    response: '{}',
  }
}

/** An item of the open digest with this key. */
function itemOf(key: string): NewNotification {
  const closesAt = new Date(Date.now() + 3_600_000)
  return { ...notification(), joined: { key, closesAt, latestAt: closesAt, isFirstNow: false, show: 10 } }
}

type Told = Record<string, unknown>

/** The events of these notifications in the outbox, with their subjects. */
async function told(ids: readonly string[]): Promise<Told[]> {
  const wanted = new Set<unknown>(ids)
  const rows = await db.run<{ subject: string; events: string }>(
    'select subject, events from outbox order by subject, id',
  )
  return rows
    .flatMap(({ subject, events }) =>
      (JSON.parse(events) as { event: Told; traceparent: string }[]).map(
        ({ event, traceparent }): Told => ({ subject, ...event, traceparent }),
      ),
    )
    .filter(({ notification_id }) => wanted.has(notification_id))
}

const idsOf = (batch: readonly NewNotification[]) => batch.map(({ candidate }) => candidate.notificationId)

test('every new notification is published once as a fact; senders find it in the table', async () => {
  const batch = [notification(), notification('bulk'), notification('transactional', 'key-1')]
  expect(await commitBatch(db.run, channels, batch)).toEqual(new Map())
  const subjects = (await told(idsOf(batch))).map(({ subject }) => subject).sort()
  const fact = 'dispatch.notification.transactional.sms.queued'
  expect(subjects).toEqual(['dispatch.notification.bulk.sms.queued', fact, fact])
})

test('no fact says that a code is queued: it leaves no row in the outbox, and the other messages of its batch leave theirs', async () => {
  await db.run('truncate outbox')
  const [alone, code, other] = [notification('otp'), notification('otp'), notification()]
  expect(await commitBatch(db.run, channels, [alone])).toEqual(new Map())
  expect(await db.run('select from outbox')).toEqual([])
  expect(await commitBatch(db.run, channels, [code, other])).toEqual(new Map())
  const all = [alone, code, other]
  expect((await told(idsOf(all))).map(({ notification_id }) => notification_id)).toEqual(idsOf([other]))
  expect(await isStored(all)).toEqual([true, true, true])
})

test('of a partly committed batch only the rest is committed and published, with the same content', async () => {
  const first = [notification(), notification('transactional', 'key-2')]
  await commitBatch(db.run, channels, first)
  const before = await told(idsOf(first))
  const fresh = notification()
  const twin = notification('transactional', 'key-2')
  const faults = await commitBatch(db.run, channels, [first[0]!, fresh, twin])
  expect(faults).toEqual(
    new Map([
      [idsOf(first)[0], 'committed'],
      [idsOf([twin])[0], 'held'],
    ]),
  )
  expect(await told(idsOf([...first, twin]))).toEqual(before)
  // These the statement made; those of a batch that is all new come ready-made.
  const ready = notification()
  await commitBatch(db.run, channels, [ready])
  expect((await told(idsOf([fresh]))).map(alike)).toEqual((await told(idsOf([ready]))).map(alike))
})

const toySubject = 'dispatch.toy.transactional.requested'

test('a hand-off is committed in a second try as it is in the first', async () => {
  const handOff = (): NewNotification => ({ ...notification(), channel: 'in_app', payload: Buffer.alloc(100, 'seal') })
  const known = notification()
  await commitBatch(db.run, channels, [known])
  const [ready, made] = [handOff(), handOff()]
  await commitBatch(db.run, channels, [ready])
  expect(await commitBatch(db.run, channels, [made, known])).toEqual(new Map([[idsOf([known])[0], 'committed']]))
  const [events, others] = [await told(idsOf([ready])), await told(idsOf([made]))]
  expect(events.map(({ subject }) => subject)).toEqual([
    'dispatch.notification.transactional.in_app.queued',
    toySubject,
  ])
  expect(events[1]).toMatchObject({ retry_count: 0, content: ready.payload.toString('base64') })
  expect(others.map(alike)).toEqual(events.map(alike))
})

test('hand-offs of one batch never make a message larger than NATS takes', async () => {
  const large = (): NewNotification => ({
    ...notification(),
    channel: 'in_app',
    payload: Buffer.alloc(300_000, 'seal'),
  })
  const known = notification()
  await commitBatch(db.run, channels, [known])
  for (const batch of [
    [large(), large(), large()],
    [large(), large(), large(), known],
  ]) {
    await commitBatch(db.run, channels, batch)
    expect(await told(idsOf(batch.slice(0, 3)))).toHaveLength(6)
  }
  const [{ longest } = { longest: 0 }] = await db.run<{ longest: number }>(
    'select max(octet_length(events)) as longest from outbox where subject = $1',
    [toySubject],
  )
  expect(longest).toBeGreaterThan(300_000)
  expect(longest).toBeLessThan(1024 * 1024)
})

/** Commits as the API does. @param before is called before each statement, with its number */
async function commitPieces(
  items: readonly NewNotification[],
  before: (statement: number) => Promise<unknown> = async () => {},
  watchLocks: WatchLocks = createLockWatch(),
) {
  let statements = 0
  const context = {
    ...{ channels, watchLocks, metrics: { acceptBatch() {}, accepted() {} } as never },
    ...{ wakeOutbox() {}, wakeSenders() {} },
  }
  const outcomes = await commitJudged(context, items, (work) =>
    work(async (statement, values) => {
      await before(++statements)
      return db.run(statement, values)
    }),
  )
  const codes = outcomes.map((one) => (one instanceof Problem ? one.code : typeof one === 'string' ? one : 'accepted'))
  return { codes, statements }
}

const isStored = async (items: readonly NewNotification[]) => {
  const rows = await db.run<{ id: string }>('select id from notifications where id = any($1)', [idsOf(items)])
  const stored = new Set(rows.map(({ id }) => id))
  return idsOf(items).map((id) => stored.has(id))
}

/** Locks the notifications for other sessions while the work runs. */
async function whileLocked<T>(work: (lock: () => Promise<unknown>) => Promise<T>): Promise<T> {
  const client = await env.admin.connect()
  try {
    await client.query('begin')
    return await work(() => client.query('lock table dispatch.notifications in access exclusive mode'))
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('committed items stay accepted when a lock delays the rest of the batch', async () => {
  const half = () => ({ ...notification(), payload: Buffer.alloc(700_000, 'seal') })
  const batch = [half(), half(), half()]
  const { codes, statements } = await whileLocked((lock) =>
    commitPieces(batch, async (statement) => statement === 2 && lock()),
  )
  expect(codes).toEqual(['accepted', 'service_unavailable', 'service_unavailable'])
  expect(statements).toBe(2)
  expect(await isStored(batch)).toEqual([true, false, false])
})

test('behind a locked table requests wait once, with keys or without, the next ones not at all, and none is committed later', async () => {
  const batch = [notification(), notification('transactional', 'key-4'), notification('bulk', 'key-5'), notification()]
  const watchLocks = createLockWatch()
  await whileLocked(async (lock) => {
    await lock()
    const first = await commitPieces(batch, undefined, watchLocks)
    expect(first).toEqual({ codes: Array(4).fill('service_unavailable'), statements: 1 })
    // One that waits takes so long each time, a stall only once.
    await eventually(async () => {
      const began = performance.now()
      const next = await commitPieces([notification()], undefined, watchLocks)
      expect(next).toEqual({ codes: ['service_unavailable'], statements: 1 })
      expect(performance.now() - began).toBeLessThan(lockTimeoutMs)
    })
  })
  expect(await isStored(batch)).toEqual(Array(4).fill(false))
  expect(await commitPieces(batch, undefined, watchLocks)).toMatchObject({ codes: Array(4).fill('accepted') })
})

test('behind a key that another process works on nobody waits: the others are committed, and that one can be tried again', async () => {
  const held = notification('transactional', 'key-6')
  const batch = [notification('transactional', 'key-7'), notification(), held]
  const holder = await holdKey(env, { scope: 'test', key: 'key-6' })
  try {
    // One that waits ends with service_unavailable.
    expect((await commitPieces(batch)).codes).toEqual(['accepted', 'accepted', 'held'])
    expect(await isStored(batch)).toEqual([true, true, false])
  } finally {
    await holder.giveUp()
  }
  expect((await commitPieces([held])).codes).toEqual(['accepted'])
})

test('a digest with 10,000 items takes no others, also while no worker closes it', async () => {
  const commit = async () => expect(await commitBatch(db.run, channels, [itemOf('full')])).toEqual(new Map())
  await commit()
  await db.run(`update digests set joined = 9999 where key = 'full'`)
  await commit()
  await commit()
  const rows = await db.run(
    `delete from digests where key = 'full' returning joined, is_open, due_at <= now() as is_due`,
  )
  expect(rows).toHaveLength(2)
  expect(rows).toContainEqual({ joined: 1, is_open: true, is_due: false })
  expect(rows).toContainEqual({ joined: 10_000, is_open: false, is_due: true })
})

test('behind a digest that another transaction joins or begins, no item of another digest waits', async () => {
  await commitBatch(db.run, channels, [itemOf('open')])
  const [made, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = db.transaction(async (run) => {
    await commitBatch(run, channels, [itemOf('open'), itemOf('begun')])
    made.resolve()
    await ended.promise
  })
  await made.promise
  const [joining, beginning, other] = [itemOf('open'), itemOf('begun'), itemOf('another')]
  const batch = [joining, beginning, other]
  const faults = await commitBatch(db.run, channels, batch, { waits: false }).finally(ended.resolve)
  await holder
  expect(faults).toEqual(new Map(idsOf([joining, beginning]).map((id) => [id, 'locked'])))
  expect(await isStored(batch)).toEqual([false, false, true])
  expect(await commitBatch(db.run, channels, [joining, beginning], { waits: false })).toEqual(new Map())
  expect(await db.run('select key, joined from digests order by key')).toEqual([
    { key: 'another', joined: 1 },
    { key: 'begun', joined: 2 },
    { key: 'open', joined: 3 },
  ])
})

test('a request whose caller no longer waits is not committed', async () => {
  const gone = notification()
  gone.candidate.isAwaited = () => false
  const batch = [notification(), gone]
  expect((await commitPieces(batch)).codes).toEqual(['accepted', 'service_unavailable'])
  expect(await isStored(batch)).toEqual([true, false])
})

/** Resolves once the commit is running in another connection, or over. */
async function untilCommitting(committing: Promise<unknown>): Promise<void> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  void committing.then(end, end)
  while (!isOver) {
    const { rowCount } = await env.admin.query(
      `select from pg_stat_activity where state = 'active' and query like '%with judged%' and pid <> pg_backend_pid() and datname = current_database()`,
    )
    if (rowCount !== 0) return
  }
}

test.each<[string, (round: number) => [NewNotification, NewNotification]]>([
  [
    'a key',
    (round) => [notification('transactional', `race-${round}`), notification('transactional', `race-${round}`)],
  ],
  ['an id', () => Array(2).fill(notification()) as [NewNotification, NewNotification]],
])(
  '%s that another process commits while the statement runs is committed once, and with its message',
  async (what, make) => {
    for (let round = 0; round < 5; round++) {
      // Reading what earlier rounds have left there would take longer than a statement may.
      await db.run('truncate outbox')
      const [late, early] = make(round)
      // The statement comes to the last one when the other one has been committed.
      const long = Array.from({ length: 3000 }, (_, at) => notification('bulk', `${what}-${round}-${at}`))
      const committing = commitBatch(db.runLong, channels, [...long, late])
      await untilCommitting(committing)
      const faults = await Promise.all([committing, commitBatch(db.run, channels, [early])])
      expect(faults.map(({ size }) => size).sort()).toEqual([0, 1])
      const winner = faults[0]!.size === 0 ? late : early
      const all = [...new Set([...long, late, early])]
      const committed = new Set([...long, winner])
      expect(await isStored(all)).toEqual(all.map((one) => committed.has(one)))
      const facts = (await told(idsOf(all))).map(({ notification_id }) => notification_id)
      expect(facts.sort()).toEqual(idsOf([...long, winner]).sort())
    }
  },
)

test('a suppressed recipient is answered as such, and leaves neither a notification nor an idempotency record', async () => {
  const barred = { ...notification('bulk', 'key-3'), recipientIndex: 'barred' }
  const committedBefore = { ...notification(), recipientIndex: 'barred' }
  await commitBatch(db.run, channels, [committedBefore])
  await suppress(db.run, [
    {
      tenant_id: principal.tenant_id,
      channel: 'sms',
      recipient_index: 'barred',
      recipient_masked: '+1***',
      reason: 'stop',
    },
  ])
  const fresh = notification()
  // The call that committed one of them was answered, but the answer was lost: it is no refusal now.
  expect(await commitBatch(db.run, channels, [barred, fresh, committedBefore])).toEqual(
    new Map([
      [barred.candidate.notificationId, 'stop'],
      [committedBefore.candidate.notificationId, 'committed'],
    ]),
  )
  expect(await told(idsOf([barred]))).toEqual([])
  expect(await findAnswers(db.run, [{ scope: 'test', key: 'key-3' }])).toEqual([])
  const elsewhere = { ...barred, channel: 'email' as const }
  expect(await commitBatch(db.run, channels, [elsewhere])).toEqual(new Map())
})

test('whether a recipient is suppressed is looked up by the recipient, not along the tenant’s list', async () => {
  const accept = async () => {
    const own = { ...principal, application_id: newId('app') }
    const batch = [notification(), notification()].map((one) => ({
      ...one,
      candidate: { ...one.candidate, principal: own },
    }))
    await commitBatch(db.run, channels, batch)
    const wanted = [{ key: own, most: 2 }]
    const { claims } = await claimForSending(db, batch[0]!, wanted, [newId('att'), newId('att')], 30)
    expect(claims).toHaveLength(2)
  }
  const before = await scansOf('suppressions_pkey')
  for (let i = 0; i < 10; i++) await accept()
  expect(await scansOf('suppressions_pkey')).toBe(before + 40)
  expect(await scansOf('suppressions_listed')).toBe(0)
})

async function scansOf(index: string): Promise<number> {
  await db.run('select pg_stat_force_next_flush()')
  const [row] = await db.run<{ scans: number }>(
    'select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = $1',
    [index],
  )
  return row!.scans
}

/** An event without what tells two notifications apart; times as their form. */
function alike({ notification_id: _, ...event }: Told): Told {
  const form = (time: unknown) => (time === undefined ? undefined : new Date(time as string).getTime() > 0)
  return { ...event, created_at: form(event.created_at), occurred_at: form(event.occurred_at) }
}
