import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, type NodeProcess, TestEnv } from '@notify/dev-env'
import { retry, untilActivity } from '@notify/test-kit/activity'
import { untilState } from '@notify/test-kit/api'
import { createTestKit } from '@notify/test-kit/kit'
import { runCommand } from '@notify/test-kit/processes'
import { freshPhone, send, sendUntilTaken, smsTo } from '@notify/test-kit/sms'
import { freshPath, received, subscribe, untilReceived } from '@notify/test-kit/webhooks'
import { afterRestore as dispatch } from '../../services/dispatch/src/upkeep/after-restore.ts'
import { afterRestore as gateway } from '../../services/gateway/src/retries/after-restore.ts'
import { afterRestore as otp } from '../../services/otp/src/restore/after-restore.ts'
import { afterRestore as webhookDelivery } from '../../services/webhook-delivery/src/restore/after-restore.ts'
import { backUp } from './backup.ts'

const commands = { dispatch, gateway, otp, 'webhook-delivery': webhookDelivery }
const workers = ['dispatch-worker', 'webhook-delivery'] as const satisfies readonly NodeProcess[]
const apart = [...workers, 'gateway', 'dispatch-api', 'otp'] as const satisfies readonly NodeProcess[]
const manual = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
/** The deployments that operations.md stops before a restore. */
const [, stopCommand] = /^kubectl -n notify scale (.+) --replicas=0$/m.exec(manual)!
const stopped = apart.filter((process) => stopCommand!.split(' ').includes(`deployment/${process}`))
let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'webhook-delivery', 'otp'], {
    apart,
    env: { gateway: { ACTIVITY_RETRY_RATE: '1' } },
  })
})
afterAll(() => env?.stop())

const stopWorkers = () => Promise.all(workers.map((one) => env.kill(one)))
const startWorkers = () => Promise.all(workers.map((one) => env.restart(one)))

/** Runs the command in this process. @returns the lines that it prints, without those of a count of 0 */
async function afterRestore(service: keyof typeof commands, ...args: string[]) {
  const kit = createTestKit(service)
  const lines: { found?: string; settled?: string; count?: number }[] = []
  const config = { DATABASE_URL: env.stack.databaseUrl(service) }
  await commands[service](config, kit, args, (line) => lines.push(JSON.parse(line))).finally(() => kit.stop())
  return lines.filter(({ found, count }) => !(found && count === 0))
}

const textsTo = async (to: string) => (await env.messages({ to })).map(({ text }) => text)

test('messages that were sent after a backup are not sent again after its restore, unless an operator releases them', async () => {
  const path = freshPath('ok')
  const { subscription_id } = await subscribe(env, path, { events: ['notification.delivered'] })
  // The endpoint is inactive, so that a delivery waits.
  await env.admin.query('update webhook_delivery.endpoints set active = false')
  await send(env, freshPhone())
  await eventually(async () => {
    const { rows } = await env.admin.query(`select 1 from webhook_delivery.deliveries where status = 'pending'`)
    expect(rows).toHaveLength(1)
  })
  await stopWorkers()
  await env.admin.query('update webhook_delivery.endpoints set active = true, next_due_at = now()')

  const [sentPhone, releasedPhone, keptPhone, laterPhone] = [freshPhone(), freshPhone(), freshPhone(), freshPhone()]
  const sent = await send(env, sentPhone)
  const released = await send(env, releasedPhone)
  const kept = await send(env, keptPhone, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  const callback = freshPath('ok')
  const hook = await env.api('POST', '/api/v1/notifications', {
    body: {
      channel: 'webhook',
      event_key: 'order.shipped',
      recipient: { url: env.stack.receiverUrl + callback },
      data: { name: 'Ada', order: 'A-1' },
    },
  })
  expect(hook.status).toBe(202)
  const restore = await backUp(env, ['dispatch', 'webhook_delivery'])

  await startWorkers()
  await untilState(env, sent, { delivery_status: 'delivered' })
  await untilState(env, released, { delivery_status: 'delivered' })
  await untilState(env, hook.body.notification_id, { delivery_status: 'delivered' })
  await eventually(async () => {
    const bodies = (await received(env, path)).map(({ body }) => JSON.parse(body).data.notification_id)
    expect(bodies).toEqual(expect.arrayContaining([sent, released]))
    expect(bodies).toHaveLength(4)
  })
  await stopWorkers()
  await env.admin.query(`update dispatch.attempts set lease_until = now()`)
  await restore()
  const sentUntil = ['--sent-until', new Date().toISOString()]

  expect(await afterRestore('dispatch', ...sentUntil)).toEqual([
    expect.objectContaining({ found: 'notifications', channel: 'sms', status: 'queued', count: 2 }),
    expect.objectContaining({ found: 'notifications', channel: 'webhook', status: 'queued', count: 1 }),
    { found: 'hand-offs of the outbox', count: expect.any(Number) },
  ])
  expect(await afterRestore('dispatch', ...sentUntil, '--lane', 'otp', '--tenant', env.tenantId)).toEqual([
    { found: 'hand-offs of the outbox', count: expect.any(Number) },
  ])
  expect(await afterRestore('webhook-delivery', ...sentUntil, '--settle')).toEqual([
    expect.objectContaining({ found: 'deliveries', subscription_id, count: 1 }),
    { settled: 'deliveries', count: 1 },
    { settled: 'replays', count: 0 },
  ])
  const settled = await afterRestore('dispatch', ...sentUntil, '--settle')
  expect(settled).toContainEqual({ settled: 'notifications', count: 3 })
  expect(await afterRestore('gateway', ...sentUntil, '--settle')).toEqual([{ settled: 'retry jobs', count: 0 }])

  // Released before a repetition of the command, which does not settle it again.
  expect((await retry(env, released)).status).toBe(202)
  expect(await afterRestore('dispatch', ...sentUntil, '--settle')).toEqual([
    { settled: 'broadcasts', count: 0 },
    { settled: 'notifications', count: 0 },
    { settled: 'hand-offs of the outbox', count: 0 },
  ])

  await startWorkers()
  await untilState(env, released, { delivery_status: 'delivered', retry_count: 1 })
  await untilState(env, await send(env, laterPhone), { delivery_status: 'delivered' })
  await untilState(env, sent, {
    delivery_status: 'failed',
    failure_reason: 'restored: may have been sent after the backup',
    retryable: true,
  })
  await untilState(env, kept, { delivery_status: 'scheduled' })
  // Later webhooks have arrived, so no earlier one is in flight.
  await untilReceived(env, path, 6)
  expect(await textsTo(sentPhone)).toHaveLength(1)
  expect(await textsTo(releasedPhone)).toHaveLength(2)
  expect(await textsTo(keptPhone)).toHaveLength(0)
  expect(await received(env, callback)).toHaveLength(1)
  expect(await received(env, path)).toHaveLength(6)
})

test('a restored code is not sent again, and its request can be repeated', async () => {
  const phone = freshPhone()
  const ask = () =>
    env.api('POST', '/api/v1/otp/send', {
      body: { channel: 'sms', recipient: phone },
      headers: { 'idempotency-key': 'sign-in' },
    })
  // Committed by otp, and not yet by dispatch.
  await env.kill('dispatch-api')
  expect((await ask()).status).toBe(503)
  const restore = await backUp(env, ['otp', 'dispatch'])
  await env.restart('dispatch-api')
  await eventually(async () => expect(await textsTo(phone)).toHaveLength(1))
  await Promise.all([env.kill('otp'), env.kill('dispatch-worker')])
  await restore()
  const sentUntil = ['--sent-until', new Date().toISOString()]
  expect(await afterRestore('otp', ...sentUntil)).toEqual([
    expect.objectContaining({ found: 'codes', tenant_id: env.tenantId, count: 1 }),
  ])
  expect(await afterRestore('otp', ...sentUntil, '--settle')).toContainEqual({ settled: 'codes', count: 1 })
  await afterRestore('dispatch', ...sentUntil, '--settle')
  await Promise.all([env.restart('otp'), env.restart('dispatch-worker')])
  const { rows } = await env.admin.query('select status, failure_reason from otp.transactions')
  expect(rows).toEqual([{ status: 'failed', failure_reason: 'restored: may have been sent after the backup' }])
  await eventually(async () => expect((await ask()).status).toBe(200))
  await eventually(async () => expect(await textsTo(phone)).toHaveLength(2))
  const [newest, first] = await textsTo(phone)
  expect(newest).not.toBe(first)
})

test('a restored retry job that was half done retries no item that was retried since the backup', async () => {
  // One a second: on a busy machine several are retried before the gateway is killed.
  const phones = Array.from({ length: 12 }, () => freshPhone('0002'))
  const ids = await Promise.all(phones.map((phone) => sendUntilTaken(env, phone)))
  for (const id of ids) await untilActivity(env, id, { status: 'undelivered' })
  const asked = { token: env.operatorToken, body: { status: 'undelivered', channel: 'sms' } }
  const { body: job } = await env.api('POST', '/api/v1/activity/retries', asked)
  const jobNow = async () =>
    (await env.admin.query('select * from gateway.retry_jobs where id = $1', [job.retry_id])).rows[0]
  await eventually(async () => expect((await jobNow()).processed).toBeGreaterThan(0))
  await env.kill('gateway')
  expect(await jobNow()).toMatchObject({ finished_at: null })
  const restore = await backUp(env, ['gateway', 'dispatch'])
  // The items that the dead gateway had claimed are due again when its lease ends.
  const dueNow = () => env.admin.query('update gateway.retry_jobs set next_at = now() where next_at is not null')
  await dueNow()
  await env.restart('gateway')
  const sentTwice = async () => {
    for (const phone of phones) expect(await textsTo(phone)).toHaveLength(2)
  }
  await eventually(sentTwice)
  await eventually(async () => expect((await jobNow()).finished_at).not.toBeNull())

  await Promise.all(stopped.map((one) => env.kill(one)))
  await env.admin.query('update dispatch.attempts set lease_until = now()')
  await restore()
  await dueNow()
  const sentUntil = ['--sent-until', new Date().toISOString()]
  // In separate processes, as an operator runs them: they take longer than a gateway takes to resume a job.
  const counted = await runCommand(env, 'gateway', ['after-restore', ...sentUntil])
  expect(counted).toEqual({ status: 0, output: expect.stringContaining(job.retry_id) })
  expect((await runCommand(env, 'dispatch-api', ['after-restore', ...sentUntil])).status).toBe(0)
  await afterRestore('dispatch', ...sentUntil, '--settle')
  expect(await afterRestore('gateway', ...sentUntil, '--settle')).toContainEqual({ settled: 'retry jobs', count: 1 })
  await Promise.all(stopped.map((one) => env.restart(one)))

  const laterPhone = freshPhone()
  await untilState(env, await send(env, laterPhone), { delivery_status: 'delivered' })
  // A new job runs after the earlier ones.
  const { body: later } = await env.api('POST', '/api/v1/activity/retries', {
    ...asked,
    body: { recipient: laterPhone },
  })
  const at = `/api/v1/activity/retries/jobs/${later.retry_id}`
  await eventually(async () => {
    expect((await env.api('GET', at, { token: env.operatorToken })).body.status).toBe('completed')
  })
  await sentTwice()
})

test('a STOP that came after the backup counts again, once the consumers begin with the first message of the stream', async () => {
  const phone = freshPhone()
  const sending = () => env.api('POST', '/api/v1/notifications', { body: smsTo(phone) })
  const untilRefused = () => eventually(async () => expect((await sending()).body.code).toBe('recipient_suppressed'))
  const restore = await backUp(env, ['dispatch', 'callbacks'])
  const stop = { channel: 'sms', from: phone, body: 'STOP' }
  expect((await env.call('carrier-sandbox', 'POST', '/inbound', { body: stop })).status).toBe(202)
  await untilRefused()
  await env.kill('dispatch-worker')
  await restore()
  const repeated = await runCommand(env, 'dispatch-worker', ['consumers', '--from-start', 'callbacks'])
  expect(repeated).toEqual({
    status: 0,
    output: expect.stringContaining('{"durable":"dispatch-message-received","deleted":true}'),
  })
  expect(repeated.output).not.toContain('dispatch-subscription-changed')
  expect((await sending()).status).toBe(202)
  await env.restart('dispatch-worker')
  await untilRefused()
})

test('consumers begins again only with the stream of a service that has consumers there', async () => {
  for (const args of [['--from-start', 'otp'], ['--from-start'], ['everything']]) {
    const refused = await runCommand(env, 'dispatch-worker', ['consumers', ...args])
    expect(refused).toEqual({ status: 1, output: expect.stringContaining('use: consumers [--from-start <publisher>]') })
  }
})

test('after-restore requires the time until which the lost database may have sent', async () => {
  for (const args of [[], ['--sent-until', 'yesterday']]) {
    await expect(afterRestore('dispatch', ...args)).rejects.toThrow('use: after-restore --sent-until <time>')
  }
})
