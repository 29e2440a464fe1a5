import type {
  AcceptItem,
  AcceptResult,
  acceptNotifications as contract,
  KeyPrincipal,
  RouteBody,
  RouteReply,
} from '@notify/contracts'
import { type IsAwaited, Problem } from '@notify/service-kit'
import type { AcceptContext, Candidate } from './accept-item.ts'
import type { AcceptOne } from './accept-one.ts'
import { createDeferredItems, type Started } from './deferred-items.ts'
import { refusalOf } from './judge-batch.ts'
import { readCandidate } from './read-candidate.ts'

/** Handles a batched call of the gateway. */
export type Acceptance = (
  call: RouteBody<typeof contract>,
  isAwaited: IsAwaited,
) => Promise<RouteReply<typeof contract>>

/** @param acceptOne accepts an item; those of the same moment share a commit */
export function createAcceptance(context: AcceptContext, acceptOne: AcceptOne): Acceptance {
  const deferredItems = createDeferredItems<AcceptResult>()
  return async ({ principals, items, defers }, isAwaited) => {
    const callers = await Promise.all(principals.map((principal) => callerOf(context, principal)))
    const started = items.map((item): Started<AcceptResult> => {
      const deferred = deferredItems.find(item.notification_id)
      if (deferred) {
        deferred.waitFor(isAwaited)
        return { ...deferred, prepared: deferred.result }
      }
      let isItemAwaited = isAwaited
      const { promise: prepared, resolve: markPrepared } = Promise.withResolvers<void>()
      const read = (traceparent: string | undefined) =>
        candidateOf(context, item, callers[item.principal], { traceparent, isAwaited: (forMs) => isItemAwaited(forMs) })
      const result = acceptOne(item, read, markPrepared)
      const waitFor = (other: IsAwaited) => {
        isItemAwaited = other
      }
      return { id: item.notification_id, prepared, result, waitFor }
    })
    if (!defers) return { results: await Promise.all(started.map(({ result }) => result)) }
    return { results: await deferredItems.resultsOf(started, { pending: true }) }
  }
}

/** Who calls; a principal that may not send is a refusal of all of its items. */
async function callerOf({ secrets }: Pick<AcceptContext, 'secrets'>, token: string): Promise<KeyPrincipal | Problem> {
  try {
    const principal = await secrets.verifyPrincipal(token)
    if (principal.kind === 'key' && principal.permissions.includes('notifications:send')) return principal
    return new Problem('permission_denied', 'The caller lacks the permission notifications:send')
  } catch (error) {
    return refusalOf(error)
  }
}

/** @throws Problem for a caller that may not send or a body that does not fit its schema */
function candidateOf(
  context: AcceptContext,
  { notification_id: notificationId, request, idempotency_key: idempotencyKey }: AcceptItem,
  caller: KeyPrincipal | Problem | undefined,
  call: Pick<Candidate, 'isAwaited'> & { traceparent: string | undefined },
): Candidate {
  if (caller === undefined) throw new Problem('unauthenticated', 'The item names no principal of its call')
  if (caller instanceof Problem) throw caller
  return readCandidate(context, { notificationId, principal: caller, request, idempotencyKey, ...call })
}
