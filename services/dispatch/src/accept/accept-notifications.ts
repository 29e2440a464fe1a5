import type {
  AcceptItem,
  AcceptResult,
  acceptNotifications as contract,
  KeyPrincipal,
  RouteBody,
  RouteReply,
} from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { ApiContext } from '../context.ts'
import type { Candidate } from './accept-item.ts'
import type { AcceptOne } from './accept-one.ts'
import { refusalOf } from './judge-batch.ts'
import { readCandidate } from './read-candidate.ts'
import { type Begun, createStragglers } from './stragglers.ts'

/** Handles a batched call of the gateway. */
export type Acceptance = (call: RouteBody<typeof contract>) => Promise<RouteReply<typeof contract>>

/** @param acceptOne accepts an item; those of the same moment share a commit */
export function createAcceptance(context: ApiContext, acceptOne: AcceptOne): Acceptance {
  const stragglers = createStragglers<AcceptResult>()
  return async ({ principals, items, defers }) => {
    const callers = await Promise.all(principals.map((principal) => callerOf(context, principal)))
    const begun = items.map((item): Begun<AcceptResult> => {
      const late = stragglers.take(item.notification_id)
      if (late) return { id: item.notification_id, prepared: late, result: late }
      const { promise: prepared, resolve: markPrepared } = Promise.withResolvers<void>()
      const read = (traceparent: string | undefined) => candidateOf(context, item, callers[item.principal], traceparent)
      const result = acceptOne(item, read, markPrepared)
      return { id: item.notification_id, prepared, result }
    })
    if (!defers) return { results: await Promise.all(begun.map(({ result }) => result)) }
    return { results: await stragglers.leaveBehind(begun, { pending: true }) }
  }
}

/** Who calls; a principal that may not send is a refusal of all of its items. */
async function callerOf({ secrets }: ApiContext, token: string): Promise<KeyPrincipal | Problem> {
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
  context: ApiContext,
  { notification_id: notificationId, request, idempotency_key: idempotencyKey }: AcceptItem,
  caller: KeyPrincipal | Problem | undefined,
  traceparent: string | undefined,
): Candidate {
  if (caller === undefined) throw new Problem('unauthenticated', 'The item names no principal of its call')
  if (caller instanceof Problem) throw caller
  return readCandidate(context, { notificationId, principal: caller, request, traceparent, idempotencyKey })
}
