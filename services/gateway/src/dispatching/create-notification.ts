import { setTimeout as delay } from 'node:timers/promises'
import { type AcceptItem, type AcceptResult, acceptNotifications, type createNotification as contract, newId } from '@notify/contracts'
import { coalesce, type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'

const maxBatch = 256
const callsInFlight = 3
const callTimeoutMs = 8000
/** Waits before a call that had no answer is repeated; the ids are ours, so repeating it accepts nothing twice. */
const repeatAfterMs = [50, 200, 500, 1000, 1500]

/** Accepts notifications: requests of the same moment travel to dispatch in one call, and each gets its own answer. */
export function createNotificationHandler(context: Context): Handler<Context, typeof contract> {
  const accept = coalesce<AcceptItem, AcceptResult>({
    maxBatch,
    maxInFlight: callsInFlight,
    run: (items) => callDispatch(context, items),
  })
  return async (_context, { body, principal, idempotencyKey, span, requestId }) => {
    const notificationId = newId('notif')
    span.set({ 'notification.id': notificationId })
    const result = await accept({
      notification_id: notificationId,
      principal: await context.signPrincipal(principal),
      idempotency_key: idempotencyKey,
      traceparent: span.traceparent,
      request: body,
    })
    if ('problem' in result) {
      const { code, detail, errors } = result.problem
      throw new Problem(code as Problem['code'], detail, errors ? { errors } : {})
    }
    if (result.replayed) return new Reply(202, result.body, { 'Idempotent-Replayed': 'true' })
    context.log.info({ request_id: requestId, notification_id: notificationId, application_id: principal.application_id }, 'accepted')
    return new Reply(202, result.body)
  }
}

async function callDispatch({ dispatch, metrics }: Context, items: readonly AcceptItem[]): Promise<AcceptResult[]> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { results } = await dispatch.call(acceptNotifications, { body: { items: [...items] }, timeoutMs: callTimeoutMs })
      return results
    } catch (error) {
      const waitMs = repeatAfterMs[attempt]
      if (!(error instanceof Problem) || error.code !== 'service_unavailable' || waitMs === undefined) throw error
      metrics.acceptRepeated()
      await delay(waitMs)
    }
  }
}
