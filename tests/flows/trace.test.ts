import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { post } from '@notify/test-kit/api'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '@notify/test-kit/trace-receiver'

let receiver: TraceReceiver
let traced: TestEnv
let untraced: TestEnv
type Sent = Awaited<ReturnType<typeof sendTraced>>
let ofCaller: Sent
let begunHere: Sent
let unsampled: Sent
const services = ['gateway', 'dispatch', 'callbacks'] as const
beforeAll(async () => {
  receiver = await startTraceReceiver()
  ;[traced, untraced] = await Promise.all([
    TestEnv.start(services, {
      apart: 'all',
      env: {
        all: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TRACE_SAMPLE_RATIO: '1' },
      },
    }),
    TestEnv.start(services),
  ])
  // All before the tests: spans are exported every five seconds, the earlier ones first.
  unsampled = await sendTraced(traced, { traceparent: notSampled })
  ofCaller = await sendTraced(traced, { traceparent })
  begunHere = await sendTraced(traced, { traceparent: 'nonsense' })
})
afterAll(async () => {
  await Promise.all([traced?.stop(), untraced?.stop()])
  await receiver?.stop()
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpan = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${callersSpan}-01`
const notSampled = `00-${'a'.repeat(32)}-${callersSpan}-00`

async function sendTraced(env: TestEnv, headers: Record<string, string>) {
  const phone = freshPhone()
  const { body } = await post(env, smsTo(phone), { headers })
  await untilActivity(env, body.notification_id, { status: 'delivered' })
  const [message] = await env.messages({ to: phone })
  return { id: body.notification_id, phone, carrierSaw: message?.request.headers.traceparent ?? '' }
}

/** The names of a span and its ancestors, up to the caller's own. */
function pathOf(span: ReceivedSpan, spans: ReceivedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [`${span.service}: ${span.name}`, ...(parent ? pathOf(parent, spans) : [span.parentSpanId])]
}

test('one trace spans gateway, dispatch, worker, carrier call, outbox, JetStream, callback and receipt', async () => {
  const { id, carrierSaw } = ofCaller
  const trace = () => receiver.spans.filter((span) => span.traceId === traceId)
  const accepted = ['dispatch: accept notification', 'gateway: createNotification', callersSpan]
  const sending = ['dispatch: send twilio', 'dispatch: send transactional sms', ...accepted]
  const callback = ['callbacks: smsStatusCallback', 'gateway: pass through', ...sending]
  await eventually(() => {
    const paths = trace().map((span) => pathOf(span, trace()))
    expect(paths).toContainEqual(sending)
    expect(paths).toContainEqual(callback)
    expect(paths).toContainEqual(['dispatch: consume dispatch-receipt-sms', ...callback])
    expect(paths).toContainEqual(['gateway: consume gateway-notification-transactional', ...accepted])
    // Every span descends from the caller's.
    for (const path of paths) expect(path.at(-1)).toBe(callersSpan)
  })
  const carrierCall = trace().find(({ name }) => name === 'send twilio')
  expect(carrierSaw).toBe(`00-${traceId}-${carrierCall?.spanId}-01`)
  expect(carrierCall?.attributes['notification.id']).toBe(id)
  const request = trace().find(({ name }) => name === 'createNotification')
  expect(request?.attributes).toMatchObject({ 'http.route': '/api/v1/notifications', tenant_id: traced.tenantId })
})

test('a trace begins at the gateway if the caller sends none, and contains nothing of the message', async () => {
  const { id, phone, carrierSaw } = begunHere
  const [, begun] = carrierSaw.split('-')
  expect(begun).toMatch(/^[0-9a-f]{32}$/)
  const spans = await eventually(() => {
    const found = receiver.spans.filter((span) => span.traceId === begun)
    expect(new Set(found.map(({ service }) => service))).toEqual(new Set(['gateway', 'dispatch', 'callbacks']))
    return found
  })
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === '')
  expect(roots.map(({ name }) => name)).toEqual(['createNotification'])
  expect(JSON.stringify(spans)).toContain(id)
  expect(JSON.stringify(receiver.spans)).not.toMatch(new RegExp(`${phone.slice(1)}|table is ready`))
})

test('a request that the caller did not sample is not traced, and its context is forwarded', () => {
  expect(unsampled.carrierSaw).toBe(notSampled)
  expect(receiver.spans.filter(({ traceId }) => traceId === 'a'.repeat(32))).toEqual([])
})

test('without an endpoint the caller’s context still reaches the carrier', async () => {
  const { carrierSaw } = await sendTraced(untraced, { traceparent })
  expect(carrierSaw).toBe(traceparent)
  expect((await sendTraced(untraced, {})).carrierSaw).toBe('')
})
