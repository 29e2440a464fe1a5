import { inProgress, isConnectionError, isLockTimeout, type Run } from '@notify/database'
import { bisect, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { suppressedRecipient } from '../suppressions/explain-suppression.ts'
import type { AcceptOutcome, NewNotification } from './accept-item.ts'
import { commitBatch } from './commit-batch.ts'
import { refusalOf } from './judge-batch.ts'
import type { CommittedMessage } from './publish-early.ts'

/** Runs a statement so that its failure leaves nothing behind, and lets others follow. */
type Attempt = <T>(work: (run: Run) => Promise<T>) => Promise<T>

/** A request whose idempotency key, or id, was committed before: the answer is the winner's. */
interface Raced {
  kind: 'raced'
}

export type CommitOutcome = AcceptOutcome | Raced

export const isRaced = (outcome: CommitOutcome): outcome is Raced => 'kind' in outcome && outcome.kind === 'raced'

/** The outcomes in the order of the items, and the work that cannot wait for the relay once the transaction is committed. */
interface Committed {
  outcomes: CommitOutcome[]
  urgent: CommittedMessage[]
}

/**
 * Commits what was judged; an item that Postgres refuses fails alone.
 * @throws Problem `service_unavailable` when Postgres is out of reach
 */
export async function commitJudged(
  context: Context,
  items: readonly NewNotification[],
  attempt: Attempt,
): Promise<Committed> {
  const urgent: CommittedMessage[] = []
  const commit = async (batch: readonly NewNotification[]) => {
    const committed = await attempt((run) => commitTogether(context, batch, run)).catch((error) => {
      // New rows meet others only in their keys; without one, a table is locked and keeps all waiting.
      throw isLockTimeout(error) && batch.some(hasKey) ? new TwinUnderWay() : error
    })
    urgent.push(...committed.urgent)
    return committed.outcomes
  }
  const outcomes: CommitOutcome[] = []
  for (const part of partsOf(items)) {
    const results = await bisect(part, commit, isShared)
    outcomes.push(...results.map((result) => (result instanceof Error ? asProblem(result) : result)))
  }
  return { outcomes, urgent }
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

async function commitTogether(context: Context, batch: readonly NewNotification[], run: Run): Promise<Committed> {
  const { ids, suppressed, urgent } = await commitBatch(run, context.channels, batch)
  context.metrics.acceptBatch(batch.length)
  context.wakeOutbox()
  const outcomes = batch.map(({ candidate, channel, lane, response }): CommitOutcome => {
    const reason = suppressed.get(candidate.notificationId)
    if (reason) return suppressedRecipient(reason)
    const isNew = ids.has(candidate.notificationId)
    if (isNew) context.metrics.accepted(channel, lane)
    // Without a key, an id of the gateway's that is there already is this same request, repeated after a lost answer.
    return isNew || !(candidate.idempotency || candidate.terms) ? { body: response } : { kind: 'raced' }
  })
  return { outcomes, urgent }
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
