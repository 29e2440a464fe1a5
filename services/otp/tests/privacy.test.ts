import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { schemaOf, serviceNames } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'
import { activity, untilActivity } from '@notify/test-kit/activity'
import { openBus, storedMessages } from '@notify/test-kit/bus'
import { type DispatchGate, startDispatchGate } from '@notify/test-kit/dispatch-gate'
import { searchColumns, writtenSecrets } from '@notify/test-kit/search-columns'
import { freshPhone } from '@notify/test-kit/sms'
import { startTraceReceiver, type TraceReceiver } from '@notify/test-kit/trace-receiver'
import { optIn, untilTemplates } from '@notify/test-kit/whatsapp'
import { otpState, postResend, postSend, postVerify, sendUntilTaken, wrong } from './codes.ts'

let env: TestEnv
let gate: DispatchGate
let traces: TraceReceiver
/** Codes and recipients; ten digits, so that none is found by chance. */
const secrets: string[] = []

const newCode = () => {
  const code = String(randomInt(1_000_000_000, 9_999_999_999))
  secrets.push(code)
  return code
}

async function send(
  recipient: string,
  request = {},
  channel = recipient.includes('@') ? 'email' : 'sms',
): Promise<{ id: string; code: string }> {
  const code = newCode()
  secrets.push(recipient.replace('+', ''))
  const { status, body } = await sendUntilTaken(env, { channel, recipient, code }, request)
  expect(status).toBe(200)
  return { id: body.transaction_id, code }
}

/** Codes that are delivered, fail, are retried, resent, expire, are refused and wait. */
beforeAll(async () => {
  traces = await startTraceReceiver()
  gate = await startDispatchGate(() => env.stack.url('dispatch-api'))
  env = await TestEnv.start(['gateway', 'dispatch', 'otp', 'callbacks', 'consent'], {
    env: {
      all: { LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: traces.url, TRACE_SAMPLE_RATIO: '1' },
      otp: { DISPATCH_URL: gate.url },
    },
  })
  const headers = { 'idempotency-key': 'privacy' }
  const delivered = await send(freshPhone(), { headers })
  const byEmail = await send('rumpelstilzchen@example.com')
  const undelivered = await send(freshPhone('0002'))
  const refused = await send(freshPhone('0003'))
  await send(freshPhone('0006'))
  await untilTemplates(env)
  const agreed = freshPhone()
  expect((await optIn(env, agreed)).status).toBe(201)
  const byWhatsApp = await send(agreed, {}, 'whatsapp')
  await postVerify(env, delivered.id, wrong(delivered.code))
  await postVerify(env, delivered.id, delivered.code, { headers })
  expect((await postResend(env, byEmail.id)).status).toBe(200)
  await postVerify(env, byWhatsApp.id, byWhatsApp.code)
  await untilActivity(env, delivered.id, { status: 'verified' })
  await untilActivity(env, byWhatsApp.id, { status: 'verified' })
  await untilActivity(env, undelivered.id, { status: 'failed' })
  await untilActivity(env, refused.id, { status: 'failed' })
  const bad = [
    { channel: 'sms', recipient: freshPhone(), code: `${newCode()}0` },
    { channel: 'sms', recipient: 'nobody', code: newCode() },
    { channel: 'sms', recipient: freshPhone(), code: newCode(), length: 4 },
  ]
  for (const body of bad) expect((await postSend(env, body)).status).toBe(422)
  const [raw, code] = [newCode(), newCode()]
  await env.api('POST', '/api/v1/otp/send', { raw: `{"channel":"sms","code":"${raw}` })
  expect((await env.api('POST', '/api/v1/otp/verify', { body: { transaction_id: [code], code } })).status).toBe(422)
  // One that dispatch never received, and one whose answer was lost.
  for (const mode of ['loseRequest', 'loseAnswer'] as const) {
    gate.set(mode)
    const [recipient, waiting] = [freshPhone('0005'), newCode()]
    secrets.push(recipient.slice(1))
    expect((await postSend(env, { channel: 'sms', recipient, code: waiting })).status).toBe(503)
  }
  gate.set('loseRequest')
})
afterAll(async () => {
  await env?.stop()
  gate?.stop()
  await traces?.stop()
})

test('no column of any table contains a code or a recipient, in any notation', async () => {
  const { found, columns } = await searchColumns(env.admin, serviceNames.map(schemaOf), secrets)
  expect(found).toEqual([])
  expect(columns).toEqual(
    expect.arrayContaining([
      'otp.transactions.recipient',
      'otp.transactions.code_proof',
      'otp.messages.request',
      'otp.outbox.events',
      'otp.idempotency_keys.response',
      'dispatch.outbox.events',
      'gateway.activity.recipient_masked',
    ]),
  )
})

test('a waiting message contains its code encrypted; otp erases it when dispatch has accepted it, and dispatch when it has ended', async () => {
  const { rows } = await env.admin.query(
    `select m.tenant_id, m.notification_id as id, m.request, t.status from otp.messages m
     join otp.transactions t on t.id = m.transaction_id where m.request is not null`,
  )
  expect(rows.map(({ status }) => status)).toEqual(['pending', 'pending'])
  const keyRing = parseKeyRing(env.stack.state.encryption_keys)
  const texts = rows.map(({ tenant_id, id, request }) => keyRing.decrypt(request, `messages|${tenant_id}|${id}`))
  for (const text of texts) expect(writtenSecrets(text, secrets).length).toBeGreaterThanOrEqual(2)
  const { rows: kept } = await env.admin.query(
    `select status from dispatch.notifications where lane = 'otp' and payload is not null and status <> 'queued'`,
  )
  expect(kept).toEqual([])
  const { rows: over } = await env.admin.query(
    `select id from otp.transactions where recipient is not null and status in ('verified', 'expired')`,
  )
  expect(over).toEqual([])
})

test('no log, metric, message on the bus, span, answer or activity item contains one', async () => {
  const folder = join(env.stack.dataDir, 'logs')
  await eventually(() => expect(env.logs('otp')).toContain('"status":503'))
  for (const file of readdirSync(folder).filter((name) => name !== 'carrier-sandbox.log')) {
    expect([file, writtenSecrets(readFileSync(join(folder, file), 'utf8'), secrets)]).toEqual([file, []])
  }
  for (const [process, url] of Object.entries(env.stack.metricsUrls)) {
    const text = await (await fetch(url)).text()
    if (process === 'otp') expect(text).toContain('otp_sent_total')
    expect([process, writtenSecrets(text, secrets)]).toEqual([process, []])
  }
  await using bus = await openBus(env)
  const messages = await storedMessages(bus)
  expect(new Set(messages.map(({ subject }) => subject.split('.')[0]))).toEqual(
    new Set(['gateway', 'dispatch', 'callbacks', 'consent', 'otp']),
  )
  const onBus = messages.map((message) => `${message.subject}\n${message.headers}\n${message.text}`).join('\n')
  expect(writtenSecrets(onBus, secrets)).toEqual([])
  await eventually(() => expect(traces.spans.some(({ service }) => service === 'otp')).toBe(true))
  expect(writtenSecrets(JSON.stringify(traces.spans), secrets)).toEqual([])
  const { body } = await activity(env, { limit: '100' })
  const states = await Promise.all(
    body.items.map(({ transaction_id }: { transaction_id: string }) => otpState(env, transaction_id)),
  )
  expect(writtenSecrets(JSON.stringify([body, states]), secrets)).toEqual([])
})
