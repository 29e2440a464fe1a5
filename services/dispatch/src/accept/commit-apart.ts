import { isLockTimeout, withSavepoint } from '@notify/database'
import { afterNextPoll, Problem } from '@notify/service-kit'
import type { ApiContext } from '../context.ts'
import { identityOf, type NewNotification } from './accept-item.ts'
import { type CommitOutcome, commitJudged } from './commit-judged.ts'
import type { HeldLocks } from './held-locks.ts'
import { refusalOf } from './judge-batch.ts'
import { findTableLock } from './locked-tables.ts'

/**
 * Commits requests whose keys were held a moment ago apart from the others, and they hardly wait: repetitions of such a
 * request would else keep all commits waiting.
 */
export async function commitApart(
  context: ApiContext,
  held: HeldLocks,
  accepted: readonly NewNotification[],
): Promise<CommitOutcome[]> {
  const suspects = accepted.filter(
    ({ candidate }) => candidate.idempotency && held.keys.has(identityOf(candidate.idempotency)),
  )
  if (suspects.length === 0) return noting(held, accepted, await commitAwaited(context, held, accepted))
  const others = accepted.filter((one) => !suspects.includes(one))
  const committed = noting(held, others, others.length === 0 ? [] : await commitAwaited(context, held, others))
  const fail = (error: unknown) => suspects.map(() => refusalOf(error))
  const tried = noting(held, suspects, await commitSuspects(context, suspects).catch(fail))
  const outcomes = new Map<NewNotification, CommitOutcome>()
  for (const [place, one] of others.entries()) outcomes.set(one, committed[place]!)
  for (const [place, one] of suspects.entries()) outcomes.set(one, tried[place]!)
  return accepted.map((one) => outcomes.get(one)!)
}

/** Remembers what was locked. @returns the outcomes */
function noting(held: HeldLocks, items: readonly NewNotification[], outcomes: CommitOutcome[]): CommitOutcome[] {
  for (const [place, outcome] of outcomes.entries()) {
    if (!(outcome instanceof Problem)) continue
    const { idempotency } = items[place]!.candidate
    if (idempotency && outcome.code === 'idempotency_in_progress') held.keys.add(identityOf(idempotency))
    if (isLockTimeout(outcome)) held.tables.add()
  }
  return outcomes
}

/** How long a request waits for a key that was held a moment ago. */
const shortWait = '50ms'

async function commitSuspects(context: ApiContext, suspects: readonly NewNotification[]): Promise<CommitOutcome[]> {
  const { outcomes, urgent } = await context.db.transaction(async (run) => {
    await afterNextPoll()
    await run(`set local lock_timeout = '${shortWait}'`)
    return commitJudged(context, suspects, (work) => withSavepoint(run, () => work(run)))
  })
  context.wakeOutbox()
  context.publishEarly(urgent)
  return outcomes
}

/** Commits the notifications whose callers still wait once there is a connection. */
async function commitAwaited(
  context: ApiContext,
  held: HeldLocks,
  accepted: readonly NewNotification[],
): Promise<CommitOutcome[]> {
  return context.db.withConnection(async (run) => {
    const lock = held.tables.wereLocked() ? await findTableLock(run) : undefined
    if (lock) throw lock
    await afterNextPoll()
    // Outside of a transaction, so that what comes back is committed.
    const { outcomes, urgent } = await commitJudged(context, accepted, (work) => work(run))
    context.publishEarly(urgent)
    return outcomes
  })
}
