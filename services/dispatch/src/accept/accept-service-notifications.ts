import { type acceptServiceNotifications as contract, DispatchRequest, type ServiceItem } from '@notify/contracts'
import { type Handler, type IsAwaited, Problem, requireShape, requireStorable } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { expireReplaced } from '../outcome/notifications/expire-replaced.ts'
import type { WithAcceptOne } from './accept-candidate.ts'
import type { Candidate } from './accept-item.ts'

/** Accepts another service's notifications, together with the gateway's requests of the same moment. */
export const acceptServiceNotifications: Handler<Context & WithAcceptOne, typeof contract> = async (
  { acceptOne, db },
  { body: { items }, isAwaited },
) => {
  const results = await Promise.all(
    items.map((item) => acceptOne(item, (traceparent) => candidateOf(item, traceparent, isAwaited))),
  )
  // If this fails, the caller repeats the call, as after a lost answer.
  await expireReplaced(
    db.run,
    items.filter((_, at) => 'body' in results[at]!),
  )
  return { results }
}

/** Fields of the public request that the item decides, or that its expiry replaces. */
const notTaken = ['priority', 'send_at', 'send_at_local', 'expires_at'] as const

/** @throws Problem `validation_failed` */
function candidateOf(item: ServiceItem, traceparent: string | undefined, isAwaited: IsAwaited): Candidate {
  requireStorable(item.request)
  const request = requireShape(DispatchRequest, item.request)
  const given = notTaken.filter((field) => Object.hasOwn(item.request as object, field))
  if (given.length > 0) {
    const message = 'is not taken from a service'
    throw new Problem('validation_failed', `${given.join(' and ')} ${message}`, {
      errors: given.map((path) => ({ path, message })),
    })
  }
  const { notification_id: notificationId, lane, expires_at: expiresAt, erase_when_terminal: eraseWhenTerminal } = item
  const { tenant_id, application_id, mode, default_locale, default_time_zone, written_locale: writtenLocale } = item
  return {
    notificationId,
    principal: { tenant_id, application_id, mode, default_locale, default_time_zone },
    request,
    traceparent: traceparent ?? null,
    isAwaited,
    idempotency: undefined,
    terms: { lane, expiresAt, eraseWhenTerminal, writtenLocale },
  }
}
