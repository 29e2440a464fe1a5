import {
  type AcceptItem,
  type AcceptResult,
  type acceptNotifications as contract,
  createNotification,
  DispatchRequest,
} from '@notify/contracts'
import { coalesce, type Handler, isTraceparent, Problem, validationProblem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { acceptBatch } from './accept-batch.ts'
import type { AcceptOutcome, Candidate } from './accept-item.ts'

const maxBatch = 512
const commitsInFlight = 1

/** Answers the gateway's coalesced calls; calls of the same moment share a commit. */
export function createAcceptHandler(context: Context): Handler<Context, typeof contract> {
  const accept = coalesce<Candidate, AcceptOutcome>({
    maxBatch,
    maxInFlight: commitsInFlight,
    run: (candidates) => acceptBatch(context, candidates),
  })
  return async (_context, { body }) => ({
    results: await Promise.all(body.items.map((item) => acceptItem(context, item, accept))),
  })
}

async function acceptItem(
  context: Context,
  item: AcceptItem,
  accept: (candidate: Candidate) => Promise<AcceptOutcome>,
): Promise<AcceptResult> {
  const span = context.tracer.start('accept notification', {
    parent: isTraceparent(item.traceparent) ? item.traceparent : undefined,
    attributes: { 'notification.id': item.notification_id },
  })
  try {
    const candidate = await candidateOf(context, item)
    const outcome = await accept({ ...candidate, traceparent: span.traceparent ?? null })
    if (outcome instanceof Problem) throw outcome
    span.end()
    return outcome
  } catch (error) {
    const problem = error instanceof Problem ? error : unexpected(error)
    if (problem.status >= 500)
      context.log.error({ notification_id: item.notification_id, err: error }, 'a dispatch request failed')
    span.end(problem)
    return { problem: problem.toBody() }
  }
}

/** @throws Problem for a bad principal, a missing permission or a body that does not fit its schema */
async function candidateOf({ secrets }: Context, item: AcceptItem): Promise<Omit<Candidate, 'traceparent'>> {
  const principal = await secrets.verifyPrincipal(item.principal)
  if (principal.kind !== 'key' || !principal.permissions.includes('notifications:send')) {
    throw new Problem('permission_denied', 'The caller lacks the permission notifications:send')
  }
  const parsed = DispatchRequest.safeParse(item.request)
  if (!parsed.success) throw validationProblem(parsed.error.issues)
  const idempotency = item.idempotency_key
    ? {
        scope: `${principal.application_id} POST ${createNotification.path}`,
        key: item.idempotency_key,
        fingerprint: secrets.fingerprint(parsed.data),
      }
    : undefined
  return { notificationId: item.notification_id, principal, request: parsed.data, idempotency }
}

function unexpected(error: unknown): Problem {
  return new Problem('internal_error', 'Something went wrong on our side; try again', { cause: error })
}
