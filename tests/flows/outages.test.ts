import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { natsPasswordVariable, natsUsers, newId } from '@notify/contracts'
import {
  type ApiResponse,
  eventually,
  type FaultProxy,
  startConfigured,
  startFaultProxy,
  startTestPostgres,
  TestEnv,
} from '@notify/dev-env'
import { createPrincipalSigner, principalHeader } from '@notify/service-kit'
import { activity, retry, untilActivity } from '@notify/test-kit/activity'
import { expectProblem, post, stateOf } from '@notify/test-kit/api'
import { openBus, untilQuiet } from '@notify/test-kit/bus'
import { report } from '@notify/test-kit/callbacks'
import { canMount, moveToSmallDisk } from '@notify/test-kit/small-disk'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'
import { within } from '@notify/test-kit/within'

const shared = 'NOTIFY_TEST_POSTGRES_URL'
let env: TestEnv
let database: FaultProxy
let stopPostgres = async () => {}

beforeAll(async () => {
  const given = process.env[shared]
  const postgres = given ? { url: given, stop: async () => {} } : await startTestPostgres()
  stopPostgres = postgres.stop
  database = await startFaultProxy(() => postgres.url)
  process.env[shared] = database.via(postgres.url)
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: 'all',
    env: {
      'dispatch-worker': {
        // Delays are random: only the sum of many is longer than the sandbox takes to restart on a busy machine.
        SEND_RETRY_DELAYS: Array(40).fill('1s').join(),
        // Longer than a receipt takes on a busy machine: a message whose call was slow is not sent again.
        UNKNOWN_GRACE: '5s',
      },
    },
  })
  if (given) process.env[shared] = given
  else delete process.env[shared]
})
afterAll(async () => {
  await env?.stop()
  await stopPostgres()
})

const sentTo = async (phone: string) => (await env.messages({ to: phone })).length

/** On a busy machine Postgres may take longer than the timeout of a probe. */
const untilReady = (process: 'gateway' | 'dispatch-worker') =>
  eventually(async () => expect((await env.call(process, 'GET', '/readyz')).status).toBe(200))

test('while Redis is down messages are accepted and delivered', async () => {
  await env.kill('redis')
  const phone = freshPhone()
  await untilActivity(env, await send(env, phone), { status: 'delivered' })
  await env.restart('redis')
  expect(await sentTo(phone)).toBe(1)
})

test('while NATS is down the answer is 202; when NATS is back, everything is delivered once and the activity is right', async () => {
  const before = (await activity(env)).body.total_count
  await env.kill('nats')
  const phones = [freshPhone(), freshPhone(), freshPhone('0002')]
  const ids = []
  for (const phone of phones) ids.push(await send(env, phone))
  const key = { headers: { 'idempotency-key': 'while-nats-is-down' } }
  const [first, again] = [await post(env, smsTo(freshPhone('0008')), key), await retryLast(key)]
  expect([first.status, again]).toEqual([202, 409])
  await untilReady('gateway')
  const unready = await env.call('dispatch-worker', 'GET', '/readyz')
  expect([unready.status, unready.headers.get('retry-after')]).toEqual([503, '1'])
  await env.restart('nats')
  await untilActivity(env, ids[0]!, { status: 'delivered' })
  await untilActivity(env, ids[1]!, { status: 'delivered' })
  await untilActivity(env, ids[2]!, { status: 'undelivered' })
  for (const phone of phones) expect(await sentTo(phone)).toBe(1)
  await eventually(async () => expect((await activity(env)).body.total_count).toBe(before + 4))
  await untilReady('dispatch-worker')
})

/** Sends another body under the key, to show that the record was stored while NATS was down. */
async function retryLast(key: { headers: Record<string, string> }): Promise<number> {
  return (await post(env, smsTo(freshPhone()), key)).status
}

test('after JetStream has lost everything, accepted messages are delivered once and the activity is right', async () => {
  const settled = [await send(env), await send(env, freshPhone('0002')), await send(env, freshPhone('0008'))] as const
  await untilActivity(env, settled[0], { status: 'delivered' })
  await untilActivity(env, settled[1], { status: 'undelivered' })
  await untilActivity(env, settled[2], { status: 'sent' })
  // Published and lost, because the worker does not run.
  await env.kill('dispatch-worker')
  const phone = freshPhone()
  const waiting = await send(env, phone)
  await env.kill('nats')
  rmSync(join(env.stack.dataDir, 'nats', 'jetstream'), { recursive: true, force: true })
  const messages = (await env.messages()).length
  await env.restart('nats')
  await env.restart('dispatch-worker')
  await untilActivity(env, waiting, { status: 'delivered' })
  await untilActivity(env, settled[1], { status: 'undelivered' })
  const later = freshPhone('0002')
  await untilActivity(env, await send(env, later), { status: 'undelivered' })
  await using bus = await openBus(env)
  await untilQuiet(bus)
  await untilActivity(env, settled[0], { status: 'delivered' })
  await untilActivity(env, settled[1], { status: 'undelivered', retry_count: 0 })
  await untilActivity(env, settled[2], { status: 'sent' })
  expect([await sentTo(phone), await sentTo(later), (await env.messages()).length]).toEqual([1, 1, messages + 2])
  const { rows } = await env.admin.query('select count(*)::int as count from dispatch.notifications')
  expect((await activity(env)).body.total_count).toBe(rows[0].count)
})

/** @returns a function that waits until callbacks logs again that it waits */
function untilWaits(): () => Promise<void> {
  const lines = () => env.logs('callbacks', 5000).split('waiting for NATS').length
  const before = lines()
  return () => eventually(() => expect(lines()).toBeGreaterThan(before))
}

test('a process that starts while NATS is down waits, logs it, and works when NATS is up', async () => {
  await env.kill('nats')
  await env.kill('callbacks')
  const waits = untilWaits()
  const starting = env.restart('callbacks')
  const health = (path: string) => fetch(new URL(path, env.stack.metricsUrls.callbacks))
  await waits()
  expect((await health('/healthz')).status).toBe(200)
  await eventually(async () => {
    const ready = await health('/readyz')
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'unready', failures: ['starting or draining'] }])
  })
  const metrics = async () => (await health('/metrics')).text()
  expect(await metrics()).toMatch(/^process_ready 0$/m)
  await env.restart('nats')
  await starting
  await eventually(async () => expect(await metrics()).toMatch(/^process_ready 1$/m))
  await eventually(async () => expect((await health('/readyz')).status).toBe(200))
  await untilActivity(env, await send(env, freshPhone()), { status: 'delivered' })
})

test('a gateway and a dispatch-api that start while NATS is down accept messages, which are delivered when it is up', async () => {
  await env.kill('nats')
  for (const name of ['gateway', 'dispatch-api'] as const) {
    await env.kill(name)
    await env.restart(name)
    await eventually(() => expect(env.logs(name)).toContain('starting without NATS'))
  }
  const phone = freshPhone()
  const id = await send(env, phone)
  // It may have been sent, which does not need NATS; its receipt does.
  expect((await stateOf(env, id)).delivery_status).not.toBe('delivered')
  await env.restart('nats')
  await untilActivity(env, id, { status: 'delivered' })
  expect(await sentTo(phone)).toBe(1)
})

/** A server at the address of the stack's NATS, with its users but without JetStream. */
function startWithoutJetstream() {
  const { dataDir, ports, state } = env.stack
  const folder = join(dataDir, 'without-jetstream')
  const file = join(dataDir, 'nats', 'without-jetstream.conf')
  const config = readFileSync(join(dataDir, 'nats', 'nats.conf'), 'utf8')
  writeFileSync(file, config.replace(/^jetstream \{[^}]*\}$/m, ''))
  const passwords = natsUsers.map((user) => [natsPasswordVariable(user), JSON.stringify(state.nats_passwords[user])])
  const args = ['--config', file]
  return startConfigured('nats-server', { args, env: Object.fromEntries(passwords), port: ports.process.nats, folder })
}

test('processes that start while NATS answers without JetStream wait for it or accept messages, which are delivered when it is up', async () => {
  const starting = ['gateway', 'dispatch-api', 'callbacks'] as const
  await env.kill('nats')
  const server = await startWithoutJetstream()
  for (const name of starting) await env.kill(name)
  const started = Promise.all(starting.map((name) => env.restart(name)))
  // The line is written at the second attempt, and again after ten seconds.
  const lines = (name: (typeof starting)[number]) => env.logs(name, 5000).split('waiting for JetStream').length - 1
  const before = starting.map(lines)
  await eventually(() => {
    for (const [at, name] of starting.entries()) expect(lines(name)).toBeGreaterThanOrEqual(before[at]! + 2)
  })
  expect((await fetch(new URL('/healthz', env.stack.metricsUrls.callbacks))).status).toBe(200)
  expect((await fetch(new URL('/readyz', env.stack.metricsUrls.callbacks))).status).toBe(503)
  await untilReady('gateway')
  const phone = freshPhone()
  const id = await send(env, phone)
  await server.stop()
  await env.restart('nats')
  await started
  await untilActivity(env, id, { status: 'delivered' })
  expect(await sentTo(phone)).toBe(1)
})

test('a process that is stopped while it waits for NATS ends with code 0', async () => {
  await env.kill('nats')
  await env.kill('callbacks')
  const waits = untilWaits()
  const starting = env.restart('callbacks').catch((error: Error) => error)
  await waits()
  expect(await env.stack.stopProcess('callbacks', 10_000)).toBe(false)
  expect(await starting).toBeInstanceOf(Error)
  expect(env.logs('callbacks')).not.toContain('cannot start')
  await env.restart('nats')
  await env.restart('callbacks')
})

test('while the database is down a request is 503 with Retry-After, without internals; then all works again', async () => {
  const known = await send(env, freshPhone('0002'))
  await untilActivity(env, known, { status: 'undelivered' })
  await database.fail()
  const during = await Promise.all([
    post(env, smsTo(freshPhone('0008'))),
    env.api('GET', `/api/v1/notifications/${known}`),
    activity(env),
    retry(env, known),
    retry(env, known, { headers: { 'idempotency-key': 'while-the-database-is-down' } }),
  ])
  for (const answer of during) {
    expectProblem(answer, 503, 'service_unavailable')
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    const { type: _, ...shown } = answer.body
    expect(JSON.stringify(shown)).not.toMatch(/postgres|ECONN|127\.0\.0\.1/i)
  }
  await database.recover()
  await eventually(async () => expect((await post(env, smsTo(freshPhone('0008')))).status).toBe(202))
  await untilActivity(env, await send(env), { status: 'delivered' })
})

/** Sends 96 messages, a few at a time, during faults. @returns the phones that were answered 202 */
async function sendThrough(happenings: Record<number, () => Promise<void>>): Promise<string[]> {
  const accepted: string[] = []
  const one = async () => {
    const phone = freshPhone()
    const answer = await post(env, smsTo(phone))
    if (answer.status === 202) accepted.push(phone)
    else expectProblem(answer, 503, 'service_unavailable')
  }
  const under = []
  for (let round = 0; round < 12; round++) {
    under.push(happenings[round]?.())
    await Promise.all(Array.from({ length: 8 }, one))
  }
  await Promise.all(under)
  expect(accepted.length).toBeGreaterThan(16)
  return accepted
}

/** Waits until each was sent (events of a killed consumer are redelivered after 15 s), and expects that none was sent twice. */
async function expectSentOnce(phones: string[]): Promise<void> {
  await eventually(async () => {
    const counts = Map.groupBy(await env.messages(), ({ to }) => to)
    expect(phones.filter((phone) => counts.get(phone)?.length !== 1)).toEqual([])
  })
}

test('a restart of the database under load loses no accepted message and ends no process', async () => {
  const { pids } = env.stack
  await expectSentOnce(await sendThrough({ 4: database.fail, 8: database.recover }))
  expect(env.stack.pids).toEqual(pids)
})

test('a database that closes every connection loses no accepted message and ends no process', async () => {
  const { pids } = env.stack
  const endConnections = async () => {
    await env.admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
  }
  await expectSentOnce(await sendThrough({ 3: endConnections, 6: endConnections, 9: endConnections }))
  expect(env.stack.pids).toEqual(pids)
})

test('a request that needs a locked table is 503 with Retry-After, with an Idempotency-Key or without', async () => {
  const id = await send(env, freshPhone('0002'))
  await untilActivity(env, id, { status: 'undelivered' })
  const suppress = (options = {}) =>
    env.api('POST', '/api/v1/suppressions', {
      token: env.operatorToken,
      body: { channel: 'sms', recipient: freshPhone() },
      ...options,
    })
  const key = { headers: { 'idempotency-key': 'while-a-table-is-locked' } }
  const client = await env.admin.connect()
  try {
    await client.query('begin; lock table dispatch.suppressions, dispatch.notifications, gateway.applications')
    const during = await Promise.all([
      suppress(),
      suppress(key),
      retry(env, id),
      env.api('POST', '/api/v1/applications', { token: env.operatorToken, body: { name: 'Locked' } }),
    ])
    for (const answer of during) {
      expectProblem(answer, 503, 'service_unavailable')
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    }
  } finally {
    await client.query('rollback')
    client.release()
  }
  expect((await suppress(key)).status).toBe(201)
})

const testWithMounts = canMount() ? test : test.skip

testWithMounts(
  'while the disk of the database is full a send is 503 with Retry-After within 8 s; with room again all works',
  async () => {
    await using disk = await moveToSmallDisk(env, 'dispatch.notifications')
    disk.fill()
    const accepted: string[] = []
    let refusals = 0
    // The pages that the table has take some more.
    for (let sent = 0; refusals < 5 && sent < 500; sent++) {
      const phone = freshPhone()
      const [answer] = (await within(env, 8000, () => post(env, smsTo(phone)))) as [ApiResponse]
      if (answer.status === 202) accepted.push(phone)
      else {
        expectProblem(answer, 503, 'service_unavailable')
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
        refusals++
      }
    }
    expect(refusals).toBe(5)
    disk.clear()
    await untilActivity(env, await send(env), { status: 'delivered' })
    await expectSentOnce(accepted)
  },
)

test('while the store of NATS is full messages are accepted and sent; with room again the trail is right', async () => {
  await send(env, freshPhone('0008'))
  const file = join(env.stack.dataDir, 'nats', 'nats.conf')
  const config = readFileSync(file, 'utf8')
  await using bus = await openBus(env)
  const { storage } = await bus.jsm.getAccountInfo()
  const mib = 1024 * 1024
  await env.kill('nats')
  writeFileSync(file, config.replace(/max_file_store: \d+/, `max_file_store: ${storage + 2 * mib}`))
  await env.restart('nats')
  await eventually(() => bus.jsm.streams.add({ name: 'FILLER', subjects: ['filler'] }))
  const fill = async () => {
    for (let i = 0; i < 8; i++) await bus.js.publish('filler', new Uint8Array(mib / 2), { retries: 0 })
  }
  await expect(fill()).rejects.toThrow(/resource|storage/)
  const phone = freshPhone()
  const [id] = (await within(env, 8000, () => send(env, phone))) as [string]
  await expectSentOnce([phone])
  const { rows } = await env.admin.query('select from dispatch.outbox where published_at is null')
  expect(rows.length).toBeGreaterThan(0)
  await bus.jsm.streams.delete('FILLER')
  await untilActivity(env, id, { status: 'delivered' })
  await env.kill('nats')
  writeFileSync(file, config)
  await env.restart('nats')
})

test.each([
  ['without an Idempotency-Key', {}],
  ['with an Idempotency-Key', { headers: { 'idempotency-key': 'answer-of-the-database-lost' } }],
])('a send %s whose commit took effect, but whose answer was lost, is accepted once', async (_, options) => {
  await send(env, freshPhone('0008'))
  const phone = freshPhone()
  const lost = database.loseResponseTo('commit-accepted-')
  const answer = await post(env, smsTo(phone), options)
  await lost
  expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([202, null])
  await untilActivity(env, answer.body.notification_id, { status: 'delivered' })
  expect(await sentTo(phone)).toBe(1)
})

test('a committed request is accepted, although the next one of its call loses the database', async () => {
  const sign = await createPrincipalSigner(env.stack.state.otp_signing_key, 'otp')
  const principal = await sign({ kind: 'service', service: 'otp', permissions: ['notifications:accept'] })
  const item = (request: object) => ({
    notification_id: newId('notif'),
    tenant_id: env.tenantId,
    application_id: env.applicationId,
    mode: 'live',
    lane: 'transactional',
    request,
  })
  const suppressed = freshPhone()
  await env.api('POST', '/api/v1/suppressions', {
    token: env.operatorToken,
    body: { channel: 'sms', recipient: suppressed },
  })
  const lost = database.loseResponseTo('find-committed')
  const { status, body } = await env.call('dispatch-api', 'POST', '/internal/v1/notifications', {
    headers: { [principalHeader]: principal },
    body: {
      items: [item(smsTo(freshPhone())), item(smsTo(suppressed))],
    },
  })
  await lost
  expect(status).toBe(200)
  expect(body.results).toEqual([
    { body: expect.stringContaining('accepted') },
    { problem: expect.objectContaining({ code: 'service_unavailable' }), may_have_taken_effect: true },
  ])
})

test.each(['dispatch-api', 'dispatch-worker', 'callbacks'] as const)(
  '%s killed under load loses no accepted message, and the activity is right in the end',
  async (process) => {
    const phones = await sendThrough({ 4: () => env.kill(process), 6: () => env.restart(process) })
    await expectSentOnce(phones)
    await eventually(async () => {
      const { rows } = await env.admin.query(
        `select count(*)::int as count, count(*) filter (where status = 'queued')::int as queued from dispatch.notifications`,
      )
      const { body } = await activity(env)
      expect([rows[0].queued, body.total_count]).toEqual([0, rows[0].count])
    })
  },
)

test('if callbacks is killed before it answers a carrier, the carrier gets 503, and the gateway keeps running', async () => {
  const { pids } = env.stack
  await env.kill('callbacks', 'SIGSTOP')
  const reports = Array.from({ length: 4 }, () =>
    report(env, { notificationId: 'notif_x', attemptId: 'att_x' }, 'delivered'),
  )
  // The waiting requests were forwarded completely, since another request is answered.
  expect((await activity(env)).status).toBe(200)
  await env.kill('callbacks')
  for (const answer of await Promise.all(reports)) expectProblem(answer, 503, 'service_unavailable')
  expect(env.stack.pids.gateway).toBe(pids.gateway)
  await env.restart('callbacks')
  await untilActivity(env, await send(env), { status: 'delivered' })
})

test('a carrier that is killed and restarted gets each message', async () => {
  await env.kill('carrier-sandbox')
  const phone = freshPhone()
  const id = await send(env, phone)
  await eventually(async () => {
    const { body } = await env.api('GET', `/api/v1/notifications/${id}`)
    expect(body.attempts[0]).toMatchObject({ outcome: 'rejected_retryable' })
  })
  await env.restart('carrier-sandbox')
  await untilActivity(env, id, { status: 'delivered' })
})
