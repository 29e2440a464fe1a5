import type { AcceptItem, ItemResult } from '@notify/contracts'
import { addLogFields, coalesce, isTraceparent, Problem, type Span, withLogFields } from '@notify/service-kit'
import { acceptBatch } from './accept-batch.ts'
import type { AcceptContext, AcceptOutcome, Candidate } from './accept-item.ts'
import type { WithHeldLocks } from './held-locks.ts'
import { refusalOf } from './judge-batch.ts'
import { prepareContent } from './prepare-content.ts'

type Needs = AcceptContext & WithHeldLocks

const maxBatch = 512
const commitsInFlight = 3

/**
 * Accepts one item of a call; never rejects.
 * @param read makes the request of it; throws a Problem for one that does not fit
 * @param markPrepared is called when what takes time is over
 */
export type AcceptOne = (
  item: Pick<AcceptItem, 'notification_id' | 'traceparent' | 'request_id'>,
  read: (traceparent: string | undefined) => Candidate,
  markPrepared?: () => void,
) => Promise<ItemResult>

/** Items that arrive together share a commit, also those of different callers. */
export function createAcceptOne(context: Needs): AcceptOne {
  const accept = coalesce<Candidate, AcceptOutcome>({
    maxBatch,
    maxInFlight: commitsInFlight,
    run: (candidates) => acceptBatch(context, candidates),
  })
  const acceptWithin = async (span: Span, read: Parameters<AcceptOne>[1], markPrepared = () => {}) => {
    try {
      const candidate = read(span.traceparent)
      addLogFields({ tenant_id: candidate.principal.tenant_id })
      await prepareContent(context, candidate)
      markPrepared()
      const outcome = await accept(candidate)
      if (outcome instanceof Problem) throw outcome
      context.log.debug('committed')
      span.end()
      return outcome
    } catch (error) {
      const problem = refusalOf(error)
      context.metrics.refused(problem.code)
      if (problem.status >= 500) context.log.error({ err: error }, 'a dispatch request failed')
      span.end(problem)
      return { problem: problem.toBody(), ...(problem.mayHaveTakenEffect && { may_have_taken_effect: true as const }) }
    } finally {
      markPrepared()
    }
  }
  return (item, read, markPrepared) => {
    const span = context.tracer.start('accept notification', {
      parent: isTraceparent(item.traceparent) ? item.traceparent : undefined,
      attributes: { 'notification.id': item.notification_id },
    })
    const { notification_id, request_id } = item
    return withLogFields({ notification_id, request_id, traceparent: span.traceparent }, () =>
      acceptWithin(span, read, markPrepared),
    )
  }
}
