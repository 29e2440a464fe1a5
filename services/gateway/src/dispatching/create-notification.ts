import { setTimeout as delay } from 'node:timers/promises'
import {
  type AcceptItem,
  type AcceptResult,
  acceptNotifications,
  type createNotification as contract,
  newId,
} from '@notify/contracts'
import { coalesce, defaultMaxBodyBytes, type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'

interface Request {
  requestId: string
  /** Size of the caller's body. */
  bytes: number
  item: AcceptItem
}

const maxBatch = 256
const callsInFlight = 2
const callTimeoutMs = 8000
/** Bodies of one call; written anew they may grow sixfold (`1e20`), and dispatch takes 64 MiB. */
const maxCallBytes = 8 * 1024 * 1024
/** Waits before a call that had no answer is repeated; the ids are ours, so repeating it accepts nothing twice. */
const repeatAfterMs = [50, 200, 500, 1000, 1500]

/** Accepts notifications: requests of the same moment travel to dispatch in one call, and each gets its own answer. */
export function createNotificationHandler(context: Context): Handler<Context, typeof contract> {
  const accept = coalesce<Request, AcceptResult>({
    maxBatch,
    maxInFlight: callsInFlight,
    weight: { of: ({ bytes }) => bytes, max: maxCallBytes },
    run: (requests) => acceptTogether(context, requests),
  })
  return async (_context, { body, principal, idempotencyKey, span, requestId, headers }) => {
    const notificationId = newId('notif')
    span.set({ 'notification.id': notificationId })
    const result = await accept({
      requestId,
      bytes: Number(headers['content-length'] ?? defaultMaxBodyBytes),
      item: {
        notification_id: notificationId,
        principal: await context.signPrincipal(principal),
        idempotency_key: idempotencyKey,
        traceparent: span.traceparent,
        request: body,
      },
    })
    if ('problem' in result) {
      const { code, detail, errors } = result.problem
      throw new Problem(code as Problem['code'], detail, errors ? { errors } : {})
    }
    if (result.replayed) return new Reply(202, result.body, { 'Idempotent-Replayed': 'true' })
    return new Reply(202, result.body)
  }
}

/** One log line for the whole call: it tells each request's notification, at a fraction of the cost of a line each. */
async function acceptTogether(context: Context, requests: readonly Request[]): Promise<AcceptResult[]> {
  const results = await callDispatch(
    context,
    requests.map(({ item }) => item),
  )
  const accepted = requests.flatMap(({ requestId, item }, index) => {
    const result = results[index]!
    return 'body' in result && !result.replayed
      ? [{ request_id: requestId, notification_id: item.notification_id }]
      : []
  })
  if (accepted.length > 0) context.log.info({ accepted }, 'accepted')
  return results
}

async function callDispatch({ dispatch, metrics }: Context, items: AcceptItem[]): Promise<AcceptResult[]> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { results } = await dispatch.call(acceptNotifications, { body: { items }, timeoutMs: callTimeoutMs })
      return results
    } catch (error) {
      const waitMs = repeatAfterMs[attempt]
      if (!(error instanceof Problem) || error.code !== 'service_unavailable' || waitMs === undefined) throw error
      metrics.acceptRepeated()
      await delay(waitMs)
    }
  }
}
