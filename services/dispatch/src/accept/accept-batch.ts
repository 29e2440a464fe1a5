import { idempotencyConflict, inProgress, isConnectionError, isLockTimeout, type Run } from '@notify/database'
import { bisect, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { suppressedRecipient } from '../suppressions/explain-suppression.ts'
import type { AcceptOutcome, Candidate, NewNotification } from './accept-item.ts'
import { commitBatch, findAnswers } from './commit-batch.ts'
import { judgeCandidate } from './judge-candidate.ts'

/**
 * Accepts many requests together; each is judged, committed and refused alone. Of several with the same idempotency key the
 * first goes ahead and the others follow it.
 * @param run commits by itself, or in a transaction of the caller, which then fails as a whole
 * @returns outcomes in the order of the candidates
 */
export async function acceptBatch(
  context: Context,
  candidates: readonly Candidate[],
  run: Run = context.db.run,
): Promise<AcceptOutcome[]> {
  const outcomes = new Map<Candidate, AcceptOutcome>()
  let round = candidates
  while (round.length > 0) {
    const { leaders, followers } = splitTwins(round)
    await acceptLeaders(context, leaders, outcomes, run)
    round = followers
  }
  return candidates.map((candidate) => outcomes.get(candidate)!)
}

function splitTwins(candidates: readonly Candidate[]): { leaders: Candidate[]; followers: Candidate[] } {
  const seen = new Set<string>()
  const leaders: Candidate[] = []
  const followers: Candidate[] = []
  for (const candidate of candidates) {
    const id = candidate.idempotency ? identity(candidate.idempotency) : undefined
    if (id !== undefined && seen.has(id)) {
      followers.push(candidate)
      continue
    }
    if (id !== undefined) seen.add(id)
    leaders.push(candidate)
  }
  return { leaders, followers }
}

async function acceptLeaders(
  context: Context,
  leaders: readonly Candidate[],
  outcomes: Map<Candidate, AcceptOutcome>,
  run: Run,
): Promise<void> {
  await answerAgain(run, leaders, outcomes)
  const judged = await Promise.all(
    leaders
      .filter((candidate) => !outcomes.has(candidate))
      .map(async (candidate) => {
        try {
          return await judgeCandidate(context, candidate)
        } catch (error) {
          outcomes.set(candidate, asProblem(error))
          return undefined
        }
      }),
  )
  const accepted = judged.filter((item) => item !== undefined)
  if (accepted.length === 0) return
  const commit = (batch: readonly NewNotification[]) => commitAll(context, batch, run)
  for (const part of partsOf(accepted)) {
    // A transaction that has failed takes no further statement.
    const results = run === context.db.run ? await bisect(part, commit, isShared) : await commit(part)
    part.forEach((item, index) => {
      const result = results[index]!
      outcomes.set(item.candidate, result instanceof Error ? asProblem(result) : result)
    })
  }
  // Whoever lost the race for a key finds the winner's answer now.
  await answerAgain(
    run,
    accepted.filter((item) => outcomes.get(item.candidate) === raced).map(({ candidate }) => candidate),
    outcomes,
  )
}

/** Bytes of the payloads that one statement carries: an email may have megabytes, and batches hundreds of them. */
const maxPart = 8 * 1024 * 1024

/** Parts that a statement can carry; nearly always one. */
function partsOf(accepted: readonly NewNotification[]): NewNotification[][] {
  const parts: NewNotification[][] = []
  let room = 0
  for (const item of accepted) {
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

const raced: AcceptOutcome = inProgress()

async function commitAll(context: Context, batch: readonly NewNotification[], run: Run): Promise<AcceptOutcome[]> {
  const { ids, suppressed } = await commitBatch(run, batch)
  context.metrics.acceptBatch(batch.length)
  context.wakeOutbox()
  return batch.map(({ candidate, channel, lane, response }) => {
    const reason = suppressed.get(candidate.notificationId)
    if (reason) return suppressedRecipient(reason)
    const isNew = ids.has(candidate.notificationId)
    if (isNew) context.metrics.accepted(channel, lane)
    // Without a key, an id that is there already is this same request, repeated by the gateway after a lost answer.
    return isNew || !candidate.idempotency ? { body: response } : raced
  })
}

/** Settles candidates whose key was answered before: the same answer again, or the conflict. */
async function answerAgain(
  run: Run,
  candidates: readonly Candidate[],
  outcomes: Map<Candidate, AcceptOutcome>,
): Promise<void> {
  const keyed = candidates.filter((candidate) => candidate.idempotency !== undefined)
  if (keyed.length === 0) return
  const found = await findAnswers(
    run,
    keyed.map(({ idempotency }) => idempotency!),
  )
  const answers = new Map(found.map((answer) => [identity(answer), answer]))
  for (const candidate of keyed) {
    const { fingerprint } = candidate.idempotency!
    const answer = answers.get(identity(candidate.idempotency!))
    if (!answer) continue
    if (answer.fingerprint !== fingerprint) outcomes.set(candidate, idempotencyConflict())
    else if (answer.response.includes(candidate.notificationId)) outcomes.set(candidate, { body: answer.response })
    else outcomes.set(candidate, { body: answer.response, replayed: true })
  }
}

function identity({ scope, key }: { scope: string; key: string }): string {
  return `${scope}\n${key}`
}

function isShared(error: unknown): boolean {
  return error instanceof Problem || isConnectionError(error)
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  // New rows meet others only in their keys: a twin on another replica has not committed yet.
  if (isLockTimeout(error)) return inProgress()
  return new Problem('internal_error', 'Something went wrong on our side; try again', { cause: error })
}
