import { type AcceptResult, type createNotification as contract, newId } from '@notify/contracts'
import { coalesce, createInternalClient, type PassedOn, Problem, Reply } from '@notify/service-kit'
import type { Context, RouteContext } from '../context.ts'
import { type AcceptRequest, callDispatch } from './call-dispatch.ts'

const maxBatch = 256
const callsInFlight = 4
/** Total timeout of a request, including queueing and retries. */
const patienceMs = 7000
/** A longer body, in UTF-16 units, travels alone, so that others need not wait for its parsing. */
const longestTogether = 32 * 1024
/** Maximum UTF-16 units of the bodies in one call. */
const maxCallLength = 1024 * 1024

/** Accepts one request through dispatch. */
export type Accept = (request: AcceptRequest) => Promise<AcceptResult>

/** Batches concurrent requests into one call to dispatch. */
export function createAcceptance(context: Context): Accept {
  const accept = coalesce<AcceptRequest, AcceptResult>({
    maxBatch,
    maxInFlight: callsInFlight,
    weight: { of: ({ text }) => text.length, max: maxCallLength },
    run: (requests) => acceptInTime(context, requests),
  })
  // Large and slow requests travel alone, over connections of their own.
  const slow = createInternalClient(context.config.DISPATCH_URL)
  const acceptAlone = async (request: AcceptRequest) => {
    const [result] = await callDispatch(context, [request], { dispatch: slow, defers: false })
    if (result instanceof Error) throw result
    return result!
  }
  return async (request) => {
    const early = request.text.length > longestTogether ? undefined : await accept(request)
    if (early && !('pending' in early)) return early
    const result = await acceptAlone(request)
    logAccepted(context, [request], [result])
    return result
  }
}

/** Accepts a notification under an id chosen by the gateway. */
export async function createNotification(
  { accept }: RouteContext,
  { bodyText: text, principal, idempotencyKey, span, requestId }: PassedOn<typeof contract>,
): Promise<Reply> {
  const notificationId = newId('notif')
  span.set({ 'notification.id': notificationId })
  const item = {
    notification_id: notificationId,
    idempotency_key: idempotencyKey,
    traceparent: span.traceparent,
    request_id: requestId,
  }
  return replyTo(await accept({ requestId, principal, item, text, untilMs: performance.now() + patienceMs }))
}

function replyTo(result: AcceptResult): Reply {
  if ('pending' in result) throw new Problem('service_unavailable', 'The request is still being processed; try again')
  if ('problem' in result) {
    const { code, detail, errors } = result.problem
    if (code === 'unauthenticated') throw notVouchedFor(detail)
    throw new Problem(code as Problem['code'], detail, {
      ...(errors ? { errors } : {}),
      ...(code === 'rate_limited' ? { headers: { 'Retry-After': '1' } } : {}),
    })
  }
  return new Reply(202, result.body, result.replayed ? { 'Idempotent-Replayed': 'true' } : {})
}

/** The gateway has verified the caller: what dispatch does not believe is the gateway's clock or key. */
function notVouchedFor(detail: string): Problem {
  return new Problem('service_unavailable', 'An internal service is unavailable; try again shortly', {
    headers: { 'Retry-After': '1' },
    cause: new Error(`dispatch does not accept the gateway's signature: ${detail}; compare clocks and PRINCIPAL_JWKS`),
  })
}

/** Drops requests whose callers already received 503. */
async function acceptInTime(context: Context, requests: readonly AcceptRequest[]) {
  const nowMs = performance.now()
  const inTime = requests.filter(({ untilMs }) => untilMs > nowMs)
  const results = inTime.length === 0 ? [] : await acceptTogether(context, inTime)
  const outcomes = new Map(inTime.map((request, index) => [request, results[index]!]))
  return requests.map((request) => outcomes.get(request) ?? tooLate())
}

function tooLate(): Problem {
  return new Problem('service_unavailable', 'The service is busy; try again shortly')
}

async function acceptTogether(context: Context, requests: readonly AcceptRequest[]) {
  const results = await callDispatch(context, requests, { dispatch: context.dispatch, defers: true })
  logAccepted(context, requests, results)
  return results
}

/** One log line per call with every notification id; a line for each would cost far more. */
function logAccepted(
  { log }: Context,
  requests: readonly AcceptRequest[],
  results: readonly (AcceptResult | Error)[],
): void {
  const accepted = requests.flatMap(({ requestId, item }, index) => {
    const result = results[index]!
    return 'body' in result && !result.replayed
      ? [{ request_id: requestId, notification_id: item.notification_id }]
      : []
  })
  if (accepted.length > 0) log.info({ accepted }, 'accepted')
}
