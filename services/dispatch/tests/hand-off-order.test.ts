import { expect, test } from '@jest/globals'
import { type HandOff, newId } from '@notify/contracts'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import type { NewNotification } from '../src/accept/accept-item.ts'
import { commitBatch } from '../src/accept/commit-batch.ts'
import { commitJudged, createLockWatch } from '../src/accept/commit-judged.ts'
import { channels } from '../src/channels/registry.ts'
import { requeueLostWork } from '../src/deliver/schedule/requeue-lost-work.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import { createEndedDeletion } from '../src/upkeep/retention-store.ts'
import { db, env } from './own-schema.ts'

const principal = newKeyPrincipal()

function inApp(user: string, fields: Partial<NewNotification> = {}): NewNotification {
  return {
    candidate: {
      notificationId: newId('notif'),
      principal,
      request: { channel: 'in_app', recipient: user, body: 'Hi', priority: 'transactional' },
      traceparent: null,
      isAwaited: () => true,
      idempotency: undefined,
    },
    channel: 'in_app',
    lane: 'transactional',
    recipientMasked: 'u***r',
    recipientIndex: user,
    metadata: undefined,
    payload: Buffer.from('sealed'),
    sendAt: undefined,
    credits: 0,
    category: null,
    response: '{}',
    ...fields,
  }
}

const idOf = ({ candidate }: NewNotification) => candidate.notificationId
const accept = (...batch: NewNotification[]) => commitBatch(db.run, channels, batch)

/** What the hand-offs of these notifications name as their predecessors, the latest first. */
async function predecessors(...notifications: NewNotification[]): Promise<(string | null | undefined)[][]> {
  const rows = await db.run<{ events: string }>(
    `select events from outbox where subject like 'dispatch.inbox.%' order by id desc`,
  )
  const handOffs = rows.flatMap(({ events }) => (JSON.parse(events) as { event: HandOff }[]).map(({ event }) => event))
  return notifications.map((one) =>
    handOffs.filter(({ notification_id }) => notification_id === idOf(one)).map(({ after }) => after),
  )
}

test('each hand-off to a user names the one accepted before it, whichever replica accepts it', async () => {
  const [first, second, third, others] = [inApp('ada'), inApp('ada'), inApp('ada'), inApp('bob')]
  await accept(second, others, first)
  await accept(third)
  expect(await predecessors(first, second, third, others)).toEqual([[null], [idOf(first)], [idOf(second)], [null]])
  const bulk = inApp('ada', { lane: 'bulk' })
  await accept(bulk)
  expect(await predecessors(bulk)).toEqual([[null]])
})

test('of many accepted at the same moment no two follow the same one', async () => {
  const all = Array.from({ length: 40 }, () => inApp('eve'))
  await Promise.all(all.map((one) => accept(one)))
  const named = (await predecessors(...all)).flat()
  expect(new Set(named).size).toBe(40)
  expect(named.filter((after) => after === null)).toHaveLength(1)
})

/** Holds the inbox of a user, as a transaction of another process does. */
async function whileHeld<T>(user: string, work: () => Promise<T>): Promise<T> {
  const client = await env.admin.connect()
  try {
    await client.query('begin')
    await client.query('select from dispatch.hand_off_tails where recipient_index = $1 for update', [user])
    return await work()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('behind the inbox of one user, which another transaction holds, no other waits', async () => {
  await accept(inApp('pam'), inApp('ron'))
  const [held, other, again, fresh] = [inApp('pam'), inApp('ron'), inApp('ron'), inApp('tim')]
  await whileHeld('pam', async () => {
    const faults = await commitBatch(db.run, channels, [held, other, fresh, again], { waits: false })
    expect(faults).toEqual(new Map([[idOf(held), 'locked']]))
  })
  expect(await commitBatch(db.run, channels, [held], { waits: false })).toEqual(new Map())
  expect((await predecessors(held, other, again, fresh)).map(({ length }) => length)).toEqual([1, 1, 1, 1])
})

test('behind an inbox that another transaction makes, no other waits', async () => {
  const [first, held, other] = [inApp('una'), inApp('una'), inApp('vic')]
  const [made, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = db.transaction(async (run) => {
    await commitBatch(run, channels, [first])
    made.resolve()
    await ended.promise
  })
  await made.promise
  const faults = await commitBatch(db.run, channels, [held, other], { waits: false }).finally(ended.resolve)
  await holder
  expect(faults).toEqual(new Map([[idOf(held), 'locked']]))
  expect(await commitBatch(db.run, channels, [held], { waits: false })).toEqual(new Map())
  expect(await predecessors(first, held, other)).toEqual([[null], [idOf(first)], [null]])
})

test('a batch takes its positions in its last statement, and answers in the order of its requests', async () => {
  const email = { channel: 'email', payload: Buffer.alloc(700_000), recipientMasked: 'a***@b' } as const
  const gone = inApp('sue')
  const batch = [inApp('sue'), inApp('sue', email), gone, inApp('sue', email), inApp('sue')]
  await accept(gone)
  const sent: string[] = []
  const context = {
    ...{ channels, watchLocks: createLockWatch(), metrics: { acceptBatch() {}, accepted() {} } as never },
    ...{ wakeOutbox() {}, wakeSenders() {} },
  }
  const outcomes = await commitJudged(context, batch, (work) =>
    work((statement, values) => {
      sent.push((statement as { name: string }).name)
      return db.run(statement, values)
    }),
  )
  expect(outcomes.map((one) => (typeof one === 'string' ? one : 'body' in one))).toEqual([
    ...[true, true, 'committed', true, true],
  ])
  // The second try of the last one is without the one that is known.
  expect(sent).toEqual([
    ...['commit-accepted-1', 'commit-accepted-1'],
    ...['commit-accepted-1-ordered', 'commit-accepted-1-ordered'],
  ])
  const [first, , , , last] = batch
  expect(await predecessors(last!)).toEqual([[idOf(first!)]])
})

test('a repeated call takes no second position', async () => {
  const [first, second, third] = [inApp('kim'), inApp('kim'), inApp('kim')]
  await accept(first)
  await accept(second)
  expect(await accept(first)).toEqual(new Map([[idOf(first), 'committed']]))
  await accept(first, third)
  expect(await predecessors(first, second, third)).toEqual([[null], [idOf(first)], [idOf(second)]])
})

test('a message known to have ended is not waited for', async () => {
  const [first, second] = [inApp('lea'), inApp('lea')]
  await accept(first)
  await db.run(`update notifications set status = 'delivered' where id = $1`, [idOf(first)])
  await accept(second)
  expect(await predecessors(second)).toEqual([[null]])
})

test('a scheduled one takes its position when it is due, in the order of the times', async () => {
  const at = (ms: number) => ({ sendAt: new Date(Date.now() + ms) })
  const [later, sooner, now] = [inApp('max', at(-1000)), inApp('max', at(-2000)), inApp('max')]
  await accept(later, sooner)
  await accept(now)
  await takeDueNotifications(db, channels)
  expect(await predecessors(now, sooner, later)).toEqual([[null], [idOf(now)], [idOf(sooner)]])
})

test('a worker takes no due messages while another one takes some: each would leave out what the other has locked', async () => {
  const at = (ms: number) => ({ sendAt: new Date(Date.now() + ms) })
  const [sooner, later] = [inApp('liv', at(-2000)), inApp('liv', at(-1000))]
  await accept(later, sooner)
  const [taken, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = db.transaction(async (run) => {
    await takeDueNotifications({ ...db, run }, channels)
    taken.resolve()
    await ended.promise
  })
  await taken.promise
  await accept(inApp('liv', at(-500)))
  const beside = await takeDueNotifications(db, channels).finally(ended.resolve)
  await holder
  expect(beside).toEqual([])
  expect(await takeDueNotifications(db, channels)).toMatchObject([{ count: 1 }])
  expect(await predecessors(sooner, later)).toEqual([[null], [idOf(sooner)]])
})

test('a repeated hand-off follows those of its batch, and after five minutes nothing', async () => {
  const [gone, first, second] = [inApp('zoe'), inApp('zoe'), inApp('zoe')]
  for (const one of [gone, first, second]) await accept(one)
  await db.run(`update notifications set status = 'delivered' where id = $1`, [idOf(gone)])
  const requeue = () =>
    requeueLostWork(db, channels, [{ lane: 'transactional', channel: 'in_app', delivered_ms_ago: -1000 }])
  await requeue()
  expect(await predecessors(first, second)).toEqual([
    [null, idOf(gone)],
    [idOf(first), idOf(first)],
  ])
  await db.run(`update notifications set created_at = created_at - interval '6 minutes'`)
  await requeue()
  expect((await predecessors(second))[0]![0]).toBeNull()
})

test('the last one of an inbox is remembered as long as its notification is kept', async () => {
  const [first, last] = [inApp('ivy'), inApp('ivy')]
  await accept(first)
  await accept(last)
  await db.run(`update notifications set status = 'delivered' where recipient_index = 'ivy'`)
  const remembered = () => db.run(`select last_id from hand_off_tails where recipient_index = 'ivy'`)
  expect(await remembered()).toEqual([{ last_id: idOf(last) }])
  await createEndedDeletion(db)(new Date(Date.now() + 60_000))
  expect(await remembered()).toEqual([])
})
