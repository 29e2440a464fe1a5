import { inProgress, isConnectionError, isLockTimeout, lockTimeoutMs, type Run } from '@notify/database'
import { bisect, noLongerAwaited, Problem } from '@notify/service-kit'
import { suppressedRecipient } from '../catalogue/suppressions/explain-suppression.ts'
import type { Context } from '../context.ts'
import type { WakeSenders } from '../deliver/queues/wake-senders.ts'
import type { AcceptOutcome, NewNotification } from './accept-item.ts'
import { commitBatch } from './commit-batch.ts'
import { queueOf } from './initial-events.ts'
import { refusalOf } from './judge-batch.ts'
import { findTableLock } from './locked-tables.ts'

/** Runs a statement so that its failure leaves nothing behind, and lets others follow. */
type Attempt = <T>(work: (run: Run) => Promise<T>) => Promise<T>

/** A request whose idempotency key, or id, was committed before: the answer is the winner's. */
interface Raced {
  kind: 'raced'
}

export type CommitOutcome = AcceptOutcome | Raced

export const isRaced = (outcome: CommitOutcome): outcome is Raced => 'kind' in outcome && outcome.kind === 'raced'

type Needs = Pick<Context, 'channels' | 'metrics' | 'wakeOutbox'> & { wakeSenders: WakeSenders }

/**
 * Commits what was judged and is still awaited; an item that Postgres refuses fails alone. When Postgres is out of reach or a
 * table stays locked, what was not committed before fails with `service_unavailable`.
 * @returns the outcomes in the order of the items
 */
export async function commitJudged(
  context: Needs,
  items: readonly NewNotification[],
  attempt: Attempt,
): Promise<CommitOutcome[]> {
  /** How long the next statement may wait for a lock that stopped an earlier one. */
  let waitMs = 0
  const commit = async (batch: readonly NewNotification[]) => {
    const awaited = batch.filter(({ candidate }) => candidate.isAwaited(waitMs))
    const committed = await attempt((run) => commitTogether(context, awaited, run)).catch(async (error) => {
      if (!isLockTimeout(error)) throw error
      waitMs = lockTimeoutMs
      // New rows meet others only in their keys, and in an inbox, whose lock another commit holds for a moment.
      throw awaited.some(hasKey) && !(await attempt(findTableLock)) ? new TwinUnderWay() : error
    })
    const outcomeOf = new Map(awaited.map((item, place) => [item, committed[place]!]))
    return batch.map((item) => outcomeOf.get(item) ?? noLongerAwaited())
  }
  const results = await bisect(partsOf(items), commit, isShared)
  return results.map((result) => (result instanceof Error ? asProblem(result) : result))
}

/** Bytes of the payloads that one statement carries: an email may have megabytes, and batches hundreds of them. */
const maxPart = 1024 * 1024

/** Parts that a statement can carry; nearly always one. */
function partsOf(items: readonly NewNotification[]): NewNotification[][] {
  const parts: NewNotification[][] = []
  let room = 0
  for (const item of items) {
    const { length } = item.payload
    if (length > room) {
      parts.push([])
      room = maxPart
    }
    parts.at(-1)!.push(item)
    room -= length
  }
  return parts
}

async function commitTogether(context: Needs, batch: readonly NewNotification[], run: Run): Promise<CommitOutcome[]> {
  if (batch.length === 0) return []
  const { ids, suppressed } = await commitBatch(run, context.channels, batch)
  context.metrics.acceptBatch(batch.length)
  context.wakeOutbox()
  context.wakeSenders(batch.flatMap((one) => queueOf(context.channels, one)))
  return batch.map(({ candidate, channel, lane, response }): CommitOutcome => {
    const reason = suppressed.get(candidate.notificationId)
    if (reason) return suppressedRecipient(reason)
    const isNew = ids.has(candidate.notificationId)
    if (isNew) context.metrics.accepted(channel, lane)
    // Without a key, an id of the gateway's that is there already is this same request, repeated after a lost answer.
    return isNew || !(candidate.idempotency || candidate.terms) ? { body: response } : { kind: 'raced' }
  })
}

function isShared(error: unknown): boolean {
  return error instanceof Problem || isConnectionError(error)
}

const hasKey = ({ candidate }: NewNotification): boolean => candidate.idempotency !== undefined

/** A request with the same key has not been committed yet, on another replica; the others of a batch can be. */
class TwinUnderWay extends Error {}

function asProblem(error: unknown): Problem {
  return error instanceof TwinUnderWay ? inProgress() : refusalOf(error)
}
