import type { OutgoingHttpHeaders } from 'node:http'
import { type createNotification as contract, type ItemResult, newId, recipientsOf } from '@notify/contracts'
import { type PassedOn, Problem, Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'

/** Total timeout of a request, including queueing and retries. */
const patienceMs = 7000

/** Accepts a notification under an id chosen by the gateway. Each copy counts against the caller's limits as well. */
export async function createNotification(
  { accept, charge }: RouteContext,
  { body, bodyText: text, principal, idempotencyKey, span, requestId }: PassedOn<typeof contract>,
): Promise<Reply> {
  const notificationId = newId('notif')
  span.set({ 'notification.id': notificationId })
  const item = {
    notification_id: notificationId,
    idempotency_key: idempotencyKey,
    traceparent: span.traceparent,
    request_id: requestId,
  }
  const more = recipientsOf(body) - 1
  const limits = more > 0 ? charge(principal, more) : {}
  return replyTo(await accept({ requestId, principal, item, text, untilMs: performance.now() + patienceMs }), limits)
}

function replyTo(result: ItemResult, limits: OutgoingHttpHeaders): Reply {
  if ('problem' in result) {
    const { code, detail, errors } = result.problem
    if (code === 'unauthenticated') throw notVouchedFor(detail)
    throw new Problem(code as Problem['code'], detail, {
      ...(errors ? { errors } : {}),
      ...(code === 'rate_limited' ? { headers: { 'Retry-After': '1' } } : {}),
    })
  }
  return new Reply(202, result.body, result.replayed ? { ...limits, 'Idempotent-Replayed': 'true' } : limits)
}

/** The gateway has verified the caller: if dispatch refuses the principal, the gateway's clock or key is wrong. */
function notVouchedFor(detail: string): Problem {
  return new Problem('service_unavailable', 'An internal service is unavailable; try again shortly', {
    headers: { 'Retry-After': '1' },
    cause: new Error(`dispatch does not accept the gateway's signature: ${detail}; compare clocks and PRINCIPAL_JWKS`),
  })
}
