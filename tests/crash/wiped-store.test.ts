import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { attemptsAgreeIn } from '@notify/test-kit/database'

const final = ['delivered', 'undelivered', 'failed']

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: 'all',
    env: {
      all: { LOG_LEVEL: 'warn' },
      // Slow enough for a backlog at the first loss, and for receipts at the second.
      'dispatch-worker': {
        SEND_RATE: '30',
        SEND_RETRY_DELAYS: '500ms,1s,2s,4s',
        UNKNOWN_GRACE: '1s',
        STALLED_AFTER: '4s',
      },
    },
  })
})
afterAll(() => env?.stop())
afterEach(() => attemptsAgreeIn(env))

test('when NATS loses its whole store, twice, while hundreds are queued, every accepted notification ends, and is sent once', async () => {
  const accepted = await accept(600)
  await untilQueued(480)
  await wipeStore()
  await untilNoticed(1)
  // However long that took, there is something left to send.
  accepted.push(...(await accept(200)))
  await untilQueued(300)
  await wipeStore()

  await eventually(async () => expect(await unfinished('dispatch', 'notifications')).toEqual([]), slow)
  expect(await terminal('dispatch', 'notifications', accepted)).toBe(accepted.length)
  await eventually(async () => expect(await unfinished('gateway', 'activity')).toEqual([]), slow)
  expect(await terminal('gateway', 'activity', accepted)).toBe(accepted.length)
  await trailAgrees()
  await everyOneWasSentOnce(accepted)
  await untilNoticed(2)
})

const slow = { timeoutMs: 90_000, intervalMs: 250 }

/** In batches, so that few are sent before all are accepted. */
async function accept(count: number): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, n) => ({
    channel: 'sms',
    recipient: `+1555${String(n).padStart(6, '0')}${n % 10 === 0 ? '0002' : '1'}`,
    body: `message ${n}`,
    priority: n % 3 === 0 ? 'bulk' : 'transactional',
  }))
  const accepted: string[] = []
  while (requests.length > 0) {
    const { status, body } = await postUntilTaken(env, '/api/v1/notifications/batch', {
      requests: requests.splice(0, 100),
    })
    expect(status).toBe(202)
    accepted.push(...body.results.map((result: { notification_id: string }) => result.notification_id))
  }
  expect(new Set(accepted).size).toBe(count)
  return accepted
}

async function wipeStore(): Promise<void> {
  await env.kill('nats')
  rmSync(join(env.stack.dataDir, 'nats', 'jetstream'), { recursive: true })
  await env.restart('nats')
}

/** Waits until the worker has detected the loss this many times. */
const untilNoticed = (times: number) =>
  eventually(() => {
    const noticed = env.logs('dispatch-worker', 5000).match(/JetStream has forgotten messages/g)
    expect(noticed?.length).toBeGreaterThanOrEqual(times)
  })

/** Waits until at most this many are queued. */
async function untilQueued(most: number): Promise<void> {
  const count = async () =>
    (await env.sql('dispatch').query(`select count(*)::int as count from notifications where status = 'queued'`))
      .rows[0].count
  await eventually(async () => expect(await count()).toBeLessThanOrEqual(most))
  // A slow start of NATS costs messages of the backlog: some must be left for the loss to matter.
  expect(await count()).toBeGreaterThan(0)
}

async function unfinished(service: 'dispatch' | 'gateway', table: string) {
  const { rows } = await env
    .sql(service)
    .query(`select id, status from ${table} where status <> all($1) limit 5`, [final])
  return rows
}

async function terminal(service: 'dispatch' | 'gateway', table: string, ids: readonly string[]): Promise<number> {
  const { rows } = await env
    .sql(service)
    .query(`select count(*)::int as count from ${table} where id = any($1) and status = any($2)`, [ids, final])
  return rows[0].count
}

/** The activity and its counts match dispatch. */
async function trailAgrees(): Promise<void> {
  const told = 'id, revision, status, failure_reason, retryable, retry_count'
  const { rows: own } = await env.sql('dispatch').query(`select ${told} from notifications order by id`)
  const { rows: shown } = await env.sql('gateway').query(`select ${told} from activity order by id`)
  expect(shown).toEqual(own)
  const { rows: counts } = await env
    .sql('gateway')
    .query(
      `select status, sum(count)::int as count from activity_totals where event_key = '' group by 1 having sum(count) <> 0`,
    )
  const expected = Map.groupBy(own, ({ status }) => status)
  expect(new Map(counts.map(({ status, count }) => [status, count]))).toEqual(
    new Map([...expected].map(([status, rows]) => [status, rows.length])),
  )
}

/** A loss repeats events, but not messages. */
async function everyOneWasSentOnce(accepted: readonly string[]): Promise<void> {
  const sent = (await env.messages({ limit: '10000' })).map(({ request }) =>
    new URL((request.body as { StatusCallback: string }).StatusCallback).searchParams.get('notification_id'),
  )
  expect(sent.toSorted()).toEqual(accepted.toSorted())
}
