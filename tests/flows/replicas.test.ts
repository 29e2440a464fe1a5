import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { streams } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { openBus } from '@notify/test-kit/bus'
import { type Replica, startReplica } from '@notify/test-kit/processes'
import { freshPhone, send, sendUntilTaken } from '@notify/test-kit/sms'

/** Makes leases longer than a test waits: what a stopped worker has claimed must be put back by it. */
const longLeases = { CARRIER_TIMEOUT: '2m' }

let env: TestEnv
const replicas: Replica[] = []
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: 'all',
    env: { 'dispatch-worker': longLeases },
  })
  replicas.push(await startReplica(env, 'dispatch-worker', longLeases))
  replicas.push(await startReplica(env, 'gateway'))
})
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.end('SIGTERM')))
  await env?.stop()
})

const attemptsIn = (text: string) => text.split('"msg":"attempt"').length - 1

/** Sends so many messages, some at a time. */
async function sendMany(count: number): Promise<string[]> {
  const ids: string[] = []
  const caller = async () => {
    while (ids.length < count) ids.push(await sendUntilTaken(env))
  }
  await Promise.all(Array.from({ length: 8 }, caller))
  return ids
}

const tenMinutesInNs = 600_000_000_000

/** Lets JetStream wait so long for each acknowledgement that a message of a stopped process has to be returned by it. */
async function neverRedeliver(): Promise<void> {
  await using bus = await openBus(env)
  for (const service of ['dispatch', 'callbacks'] as const) {
    const { name: stream } = streams[service]
    for await (const { name } of bus.jsm.consumers.list(stream)) {
      await bus.jsm.consumers.update(stream, name, { ack_wait: tenMinutesInNs })
    }
  }
}

/** Expects each to be delivered once, by the carrier's count and by the activity. */
async function everyOneIsDeliveredOnce(ids: readonly string[]): Promise<void> {
  await eventually(async () => {
    const { rows } = await env
      .sql('gateway')
      .query(`select count(*)::int as count from activity where id = any($1) and status = 'delivered'`, [ids])
    expect(rows[0].count).toBe(ids.length)
  })
  const callbackOf = ({ request }: { request: { body: unknown } }) =>
    new URL((request.body as { StatusCallback: string }).StatusCallback).searchParams.get('notification_id')
  const received = (await env.messages({ limit: '10000' })).map(callbackOf).filter((id) => ids.includes(id!))
  expect(received.toSorted()).toEqual(ids.toSorted())
  const { rows } = await env.admin.query(
    `select status, sum(count)::int as count from gateway.activity_totals where event_key = ''
     group by status having sum(count) <> 0 order by status`,
  )
  const { rows: activity } = await env.admin.query(
    `select status, count(*)::int as count from gateway.activity group by status order by status`,
  )
  expect(rows).toEqual(activity)
}

test('two workers and two gateways share the work: nothing is sent twice, and the activity counts each message once', async () => {
  const ids = await sendMany(300)
  await everyOneIsDeliveredOnce(ids)
  const [worker] = replicas
  await eventually(() => expect(attemptsIn(worker!.output())).toBeGreaterThan(0))
  expect(attemptsIn(worker!.output())).toBeLessThan(ids.length)
})

test('a key that is revoked or rotated at one gateway stops at the other within a second', async () => {
  const gateways = [env.stack.url('gateway'), replicas[1]!.url]
  const statusAt = async (gateway: string, key: string) =>
    (await fetch(`${gateway}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status
  const token = env.operatorToken
  const keys = `/api/v1/applications/${env.applicationId}/keys`
  const create = async () =>
    (await env.api('POST', keys, { token, body: { name: 'Short', permissions: [] } })).body as {
      key_id: string
      api_key: string
    }
  const [revoked, rotated] = [await create(), await create()]
  const ends: [string, () => Promise<{ status: number }>][] = [
    [revoked.api_key, () => env.api('DELETE', `${keys}/${revoked.key_id}`, { token })],
    [
      rotated.api_key,
      () => env.api('POST', `${keys}/${rotated.key_id}/rotate`, { token, body: { overlap_seconds: 0 } }),
    ],
  ]
  for (const [key, end] of ends) {
    // Both gateways have the key cached when it ends.
    expect(await Promise.all(gateways.map((gateway) => statusAt(gateway, key)))).toEqual([200, 200])
    expect((await end()).status).toBeLessThan(300)
    const endedAt = performance.now()
    const accepted: number[] = []
    await eventually(async () => {
      const asked = performance.now()
      const statuses = await Promise.all(gateways.map((gateway) => statusAt(gateway, key)))
      if (statuses.includes(200)) accepted.push(asked - endedAt)
      expect(statuses).toEqual([401, 401])
    })
    // Measured when the last accepted request was sent, because the time of answers does not count.
    expect(Math.max(0, ...accepted)).toBeLessThan(1000)
  }
})

test('of two retries at two gateways at the same moment one wins, the other is 409 retry_in_progress', async () => {
  const id = await send(env, freshPhone('0002'))
  await untilActivity(env, id, { status: 'undelivered' })
  const retryAt = async (gateway: string) => {
    const answer = await fetch(`${gateway}/api/v1/activity/${id}/retry?expected_retry_count=0`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env.operatorToken}` },
    })
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  const answers = await Promise.all([env.stack.url('gateway'), replicas[1]!.url].map(retryAt))
  expect(answers.toSorted()).toEqual([
    [202, undefined],
    [409, 'retry_in_progress'],
  ])
  await untilActivity(env, id, { status: 'undelivered', retry_count: 1 })
})

test('a worker and a gateway that are stopped under load leave the rest to the others', async () => {
  const [worker] = replicas
  const before = attemptsIn(worker!.output())
  await neverRedeliver()
  const sending = sendMany(300)
  await eventually(() => expect(attemptsIn(worker!.output())).toBeGreaterThan(before + 20))
  await Promise.all(replicas.map((replica) => replica.end('SIGTERM')))
  for (const { child } of replicas) expect(child.exitCode).toBe(0)
  await everyOneIsDeliveredOnce(await sending)
})
