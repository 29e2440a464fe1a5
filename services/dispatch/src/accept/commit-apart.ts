import { withSavepoint } from '@notify/database'
import { afterNextPoll } from '@notify/service-kit'
import { type AcceptContext, identityOf, type NewNotification } from './accept-item.ts'
import { type CommitOutcome, commitJudged } from './commit-judged.ts'
import { noteLocks, requireNoLock, type WithHeldLocks } from './held-locks.ts'
import { queueOf } from './initial-events.ts'
import { refusalOf } from './judge-batch.ts'

type Needs = AcceptContext & WithHeldLocks

/**
 * Commits requests whose keys were held a moment ago apart from the others, and they hardly wait: repetitions of such a
 * request would else keep all commits waiting.
 */
export async function commitApart(context: Needs, accepted: readonly NewNotification[]): Promise<CommitOutcome[]> {
  const suspects = accepted.filter(
    ({ candidate }) => candidate.idempotency && context.heldLocks.keys.has(identityOf(candidate.idempotency)),
  )
  if (suspects.length === 0) return noteLocks(context.heldLocks, accepted, await commitAwaited(context, accepted))
  const others = accepted.filter((one) => !suspects.includes(one))
  const committed = noteLocks(
    context.heldLocks,
    others,
    others.length === 0 ? [] : await commitAwaited(context, others),
  )
  const fail = (error: unknown) => suspects.map(() => refusalOf(error))
  const tried = noteLocks(context.heldLocks, suspects, await commitSuspects(context, suspects).catch(fail))
  const outcomes = new Map<NewNotification, CommitOutcome>()
  for (const [place, one] of others.entries()) outcomes.set(one, committed[place]!)
  for (const [place, one] of suspects.entries()) outcomes.set(one, tried[place]!)
  return accepted.map((one) => outcomes.get(one)!)
}

/** How long a request waits for a key that was held a moment ago. */
const shortWait = '50ms'

async function commitSuspects(context: Needs, suspects: readonly NewNotification[]): Promise<CommitOutcome[]> {
  const outcomes = await context.db.transaction(async (run) => {
    await afterNextPoll()
    await run(`set local lock_timeout = '${shortWait}'`)
    return commitJudged(context, suspects, (work) => withSavepoint(run, () => work(run)))
  })
  // Their wakes went out before the commit.
  context.wakeOutbox()
  context.wakeSenders(suspects.flatMap((one) => queueOf(context.channels, one)))
  return outcomes
}

/** Commits the notifications whose callers still wait once there is a connection. */
async function commitAwaited(context: Needs, accepted: readonly NewNotification[]): Promise<CommitOutcome[]> {
  return context.db.withConnection(async (run) => {
    await requireNoLock(context.heldLocks, run)
    await afterNextPoll()
    // Outside of a transaction, so that what comes back is committed.
    return commitJudged(context, accepted, (work) => work(run))
  })
}
