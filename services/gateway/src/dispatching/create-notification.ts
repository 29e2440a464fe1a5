import { setTimeout as delay } from 'node:timers/promises'
import {
  type AcceptItem,
  type AcceptResult,
  acceptNotifications,
  type createNotification as contract,
  type KeyPrincipal,
  newId,
} from '@notify/contracts'
import { coalesce, type PassedOn, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'

interface Request {
  requestId: string
  principal: KeyPrincipal
  item: Pick<AcceptItem, 'notification_id' | 'idempotency_key' | 'traceparent'>
  /** The caller's body, as it was written. */
  text: string
  /** By `performance.now()`: the caller is told that there was no answer. */
  until: number
}

const maxBatch = 256
const callsInFlight = 4
/** How long a caller waits for dispatch at most: its turn, and all repetitions. */
const patienceMs = 7000
/** Longer than dispatch waits for Postgres, and short enough to try once more when a connection is dead. */
const callTimeoutMs = 5000
/** UTF-16 units of the bodies in one call: at most three times as many bytes, and dispatch takes 64 MiB. */
const maxCallLength = 8 * 1024 * 1024
/** Waits before a call that had no answer is repeated; the ids are ours, so repeating it accepts nothing twice. */
const repeatAfterMs = [50, 200, 500, 1000, 1500]

/** Accepts notifications: requests of the same moment travel to dispatch in one call, and each gets its own answer. */
export function createNotificationHandler(
  context: Context,
): (context: Context, request: PassedOn<typeof contract>) => Promise<Reply> {
  const accept = coalesce<Request, AcceptResult>({
    maxBatch,
    maxInFlight: callsInFlight,
    weight: { of: ({ text }) => text.length, max: maxCallLength },
    run: (requests) => acceptInTime(context, requests),
  })
  return async (_context, { bodyText: text, principal, idempotencyKey, span, requestId }) => {
    const notificationId = newId('notif')
    span.set({ 'notification.id': notificationId })
    const item = {
      notification_id: notificationId,
      idempotency_key: idempotencyKey,
      traceparent: span.traceparent,
    }
    const result = await accept({ requestId, principal, item, text, until: performance.now() + patienceMs })
    if ('problem' in result) {
      const { code, detail, errors } = result.problem
      throw new Problem(code as Problem['code'], detail, errors ? { errors } : {})
    }
    if (result.replayed) return new Reply(202, result.body, { 'Idempotent-Replayed': 'true' })
    return new Reply(202, result.body)
  }
}

/** Those whose callers were told meanwhile that there was no answer are not accepted behind their backs. */
async function acceptInTime(context: Context, requests: readonly Request[]): Promise<(AcceptResult | Problem)[]> {
  const now = performance.now()
  const inTime = requests.filter(({ until }) => until > now)
  const results = inTime.length === 0 ? [] : await acceptTogether(context, inTime)
  const outcomes = new Map(inTime.map((request, index) => [request, results[index]!]))
  return requests.map((request) => outcomes.get(request) ?? tooLate())
}

function tooLate(): Problem {
  return new Problem('service_unavailable', 'The service is busy; try again shortly')
}

/** One log line for the whole call: it tells each request's notification, at a fraction of the cost of a line each. */
async function acceptTogether(context: Context, requests: readonly Request[]): Promise<AcceptResult[]> {
  const until = Math.max(...requests.map((request) => request.until))
  const results = await callDispatch(context, await writeCall(context, requests), until)
  const accepted = requests.flatMap(({ requestId, item }, index) => {
    const result = results[index]!
    return 'body' in result && !result.replayed
      ? [{ request_id: requestId, notification_id: item.notification_id }]
      : []
  })
  if (accepted.length > 0) context.log.info({ accepted }, 'accepted')
  return results
}

/** The call's body. The requests go into it as their callers wrote them: they are JSON, and dispatch judges the rest. */
async function writeCall({ signPrincipal }: Context, requests: readonly Request[]): Promise<string> {
  const callers = [...new Set(requests.map(({ principal }) => principal))]
  const places = new Map(callers.map((principal, place) => [principal, place]))
  const items = requests.map(({ item, principal, text }) => {
    const head = JSON.stringify({ ...item, principal: places.get(principal) })
    return `${head.slice(0, -1)},"request":${text}}`
  })
  const principals = await Promise.all(callers.map(signPrincipal))
  return `{"principals":${JSON.stringify(principals)},"items":[${items.join(',')}]}`
}

async function callDispatch({ dispatch, metrics }: Context, bodyText: string, until: number): Promise<AcceptResult[]> {
  for (let attempt = 0; ; attempt++) {
    const timeoutMs = Math.min(callTimeoutMs, until - performance.now())
    try {
      const { results } = await dispatch.call(acceptNotifications, { bodyText, timeoutMs })
      return results
    } catch (error) {
      const waitMs = repeatAfterMs[attempt]
      if (!(error instanceof Problem) || error.code !== 'service_unavailable' || waitMs === undefined) throw error
      if (performance.now() + waitMs >= until) throw error
      metrics.acceptRepeated()
      await delay(waitMs)
    }
  }
}
