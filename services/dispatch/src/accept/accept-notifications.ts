import type {
  AcceptItem,
  AcceptResult,
  acceptNotifications as contract,
  KeyPrincipal,
  RouteBody,
  RouteReply,
} from '@notify/contracts'
import { coalesce, isTraceparent, Problem } from '@notify/service-kit'
import type { ApiContext } from '../context.ts'
import { acceptBatch } from './accept-batch.ts'
import type { AcceptOutcome, Candidate } from './accept-item.ts'
import { refusalOf } from './judge-batch.ts'
import { prepareContent } from './prepare-content.ts'
import { readCandidate } from './read-candidate.ts'
import { type Begun, createStragglers } from './stragglers.ts'

const maxBatch = 512
const commitsInFlight = 3

/** Answers one of the gateway's coalesced calls. */
export type Acceptance = (call: RouteBody<typeof contract>) => Promise<RouteReply<typeof contract>>

/** Calls of the same moment share a commit. */
export function createAcceptance(context: ApiContext): Acceptance {
  const accept = coalesce<Candidate, AcceptOutcome>({
    maxBatch,
    maxInFlight: commitsInFlight,
    run: (candidates) => acceptBatch(context, candidates),
  })
  const stragglers = createStragglers<AcceptResult>()
  return async ({ principals, items, defers }) => {
    const callers = await Promise.all(principals.map((principal) => callerOf(context, principal)))
    const begun = items.map((item): Begun<AcceptResult> => {
      const late = stragglers.take(item.notification_id)
      if (late) return { id: item.notification_id, prepared: late, result: late }
      const { promise: prepared, resolve: markPrepared } = Promise.withResolvers<void>()
      const result = acceptItem(context, item, callers[item.principal], accept, markPrepared)
      return { id: item.notification_id, prepared, result }
    })
    if (!defers) return { results: await Promise.all(begun.map(({ result }) => result)) }
    return { results: await stragglers.leaveBehind(begun, { pending: true }) }
  }
}

async function acceptItem(
  context: ApiContext,
  item: AcceptItem,
  caller: KeyPrincipal | Problem | undefined,
  accept: (candidate: Candidate) => Promise<AcceptOutcome>,
  markPrepared: () => void,
): Promise<AcceptResult> {
  const span = context.tracer.start('accept notification', {
    parent: isTraceparent(item.traceparent) ? item.traceparent : undefined,
    attributes: { 'notification.id': item.notification_id },
  })
  try {
    const candidate = candidateOf(context, item, caller, span.traceparent)
    await prepareContent(context, candidate)
    markPrepared()
    const outcome = await accept(candidate)
    if (outcome instanceof Problem) throw outcome
    span.end()
    return outcome
  } catch (error) {
    const problem = refusalOf(error)
    context.metrics.refused(problem.code)
    if (problem.status >= 500)
      context.log.error({ notification_id: item.notification_id, err: error }, 'a dispatch request failed')
    span.end(problem)
    return { problem: problem.toBody() }
  } finally {
    markPrepared()
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
