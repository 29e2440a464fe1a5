import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, snapshotNats, TestEnv } from '@notify/dev-env'
import { publish } from '@notify/messaging'
import { postUntilTaken } from '@notify/test-kit/api'
import { lastSequences, openBus, type StoredMessage, storedMessages } from '@notify/test-kit/bus'
import { cutPower } from '@notify/test-kit/cut-power'
import { attemptsAgreeIn } from '@notify/test-kit/database'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: 'all',
    env: {
      all: { LOG_LEVEL: 'warn' },
      // A frozen worker hands nothing over: what is reported after that must already be under way at the carrier.
      'carrier-sandbox': { CARRIER_DELAY_MS: '1500' },
      'dispatch-worker': {
        SEND_RATE: '60',
        SEND_RETRY_DELAYS: '500ms,1s,2s,4s',
        UNKNOWN_GRACE: '1s',
        STALLED_AFTER: '4s',
      },
    },
  })
})
afterAll(() => env?.stop())
afterEach(() => attemptsAgreeIn(env))

const publishers = ['dispatch', 'callbacks'] as const
const slow = { intervalMs: 250 }

test('when the power of NATS is cut under load and its last seconds are gone, every message reaches its true state', async () => {
  const accepted = await acceptSome(400)
  await untilReported(40)
  await using bus = await openBus(env)
  const projecting = await holdProjection()
  const snapshot = await snapshotNats(env)
  const kept = await storedMessages(bus, publishers)
  // However long that took, there is something left to send.
  accepted.push(...(await acceptSome(500)))
  // Lost: work, unwritten facts, and receipts that dispatch has not consumed.
  await untilReported((await reported()) + 60)
  await env.kill('dispatch-worker', 'SIGSTOP')
  await untilReported((await reported()) + 5)
  await untilPublished('callbacks')
  await Promise.all([env.kill('gateway'), env.kill('callbacks', 'SIGSTOP')])
  await projecting.release()
  const given = await lastSequences(bus, publishers)
  await snapshot.putBack()
  await publishBeyond(given, kept)
  await Promise.all([env.kill('callbacks', 'SIGCONT'), env.kill('dispatch-worker', 'SIGCONT'), env.restart('gateway')])
  accepted.push(...(await acceptSome(100)))

  await eventually(async () => expect(await strays(accepted)).toEqual([]), slow)
  await eventually(async () => expect(await shown()).toEqual(await owned()), slow)
  const sentTwice = await repeated()
  expect(sentTwice).toEqual(await ambiguous(sentTwice))
  for (const service of ['dispatch', 'gateway', 'callbacks'] as const) {
    expect((await env.sql(service).query('select durable, reason from dead_letters')).rows).toEqual([])
  }
})

test('over twenty power cuts that damage the ends of the files of NATS, nothing is missing from activity, usage and outcomes', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const accepted: string[] = []
  for (let cut = 0; cut < 20; cut++) {
    const accepting = acceptSome(10)
    await cutPower(env, publishers, seed + cut)
    accepted.push(...(await accepting))
  }
  await eventually(async () => expect({ seed, strays: await strays(accepted) }).toEqual({ seed, strays: [] }), slow)
  await eventually(async () => expect({ seed, shown: await shown() }).toEqual({ seed, shown: await owned() }), slow)
  await eventually(async () => {
    const { counted, taken } = await charged()
    expect({ seed, counted }).toEqual({ seed, counted: taken })
  }, slow)
})

/** Publishes from other replicas until all lost sequences are reused, so that sequences do not reveal the loss. */
async function publishBeyond(given: ReadonlyMap<string, number>, kept: readonly StoredMessage[]): Promise<void> {
  await using bus = await openBus(env)
  for (let round = 0; ; round++) {
    const reached = await lastSequences(bus, publishers)
    if (publishers.every((service) => reached.get(service)! > given.get(service)!)) return
    for (const { subject, text, messageId } of kept) {
      const message = { id: messageId, subject, events: text }
      await eventually(() => publish(bus, message, `${messageId}:again:${round}`))
    }
  }
}

/** In batches. Every tenth message is undelivered. */
async function acceptSome(count: number): Promise<string[]> {
  if (count > 100) return [...(await acceptSome(100)), ...(await acceptSome(count - 100))]
  const requests = Array.from({ length: count }, (_, n) => ({
    channel: 'sms',
    recipient: `+1555${String(n).padStart(6, '0')}${n % 10 === 0 ? '0002' : '1'}`,
    body: 'message',
  }))
  const { status, body } = await postUntilTaken(env, '/api/v1/notifications/batch', { requests })
  expect(status).toBe(202)
  return body.results.map((result: { notification_id: string }) => result.notification_id)
}

/** Messages that the carrier has reported as delivered. */
async function reported(): Promise<number> {
  const { rows } = await env
    .sql('callbacks')
    .query(`select count(*)::int as count from received_callbacks where status = 'delivered'`)
  return rows[0].count
}

const untilReported = (count: number) =>
  eventually(async () => expect(await reported()).toBeGreaterThanOrEqual(count), slow)

const untilPublished = (service: 'callbacks') =>
  eventually(async () =>
    expect((await env.sql(service).query('select from outbox where published_at is null')).rows).toEqual([]),
  )

/** Keeps the gateway from writing facts. */
async function holdProjection(): Promise<{ release(): Promise<void> }> {
  const client = await env.admin.connect()
  await client.query('begin')
  await client.query('lock table gateway.activity in exclusive mode')
  return {
    async release() {
      await client.query('rollback')
      client.release()
    },
  }
}

/** Messages whose state differs from the carrier's report. */
async function strays(accepted: readonly string[]) {
  const { rows } = await env.sql('dispatch').query(
    `select n.id, n.status, a.provider_message_id from unnest($1::text[]) as accepted (id)
     left join notifications n using (id) left join attempts a on a.notification_id = n.id and a.number = n.attempt_count`,
    [accepted],
  )
  const { rows: reports } = await env
    .sql('callbacks')
    .query(`select provider_message_id, status from received_callbacks where status <> 'sent'`)
  const known = new Map(reports.map(({ provider_message_id, status }) => [provider_message_id, status]))
  return rows
    .filter(({ status, provider_message_id }) => status !== known.get(provider_message_id) || status === undefined)
    .slice(0, 5)
}

const told = 'id, revision, status, failure_reason, retryable, retry_count'
const owned = async () => (await env.sql('dispatch').query(`select ${told} from notifications order by id`)).rows
const shown = async () => (await env.sql('gateway').query(`select ${told} from activity order by id`)).rows

/** Messages that usage counts, and those that a carrier has taken. */
async function charged(): Promise<{ counted: number; taken: number }> {
  const { rows } = await env.sql('gateway').query('select coalesce(sum(messages), 0)::int as counted from usage_days')
  const taken = (await owned()).filter(({ status }) => ['sent', 'delivered', 'undelivered'].includes(status))
  return { counted: rows[0].counted, taken: taken.length }
}

/** Notifications that the carrier received more than once. */
async function repeated(): Promise<string[]> {
  const sent = (await env.messages({ limit: '10000' })).map(({ request }) =>
    new URL((request.body as { StatusCallback: string }).StatusCallback).searchParams.get('notification_id'),
  )
  return sent.filter((id, place) => sent.indexOf(id) !== place) as string[]
}

/** Those with an attempt of unknown outcome. */
async function ambiguous(ids: readonly string[]): Promise<string[]> {
  const { rows } = await env
    .sql('dispatch')
    .query('select distinct notification_id as id from attempts where ambiguous and notification_id = any($1)', [ids])
  const found = rows.map(({ id }) => id)
  return ids.filter((id) => found.includes(id))
}
