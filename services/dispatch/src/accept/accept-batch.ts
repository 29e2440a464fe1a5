import type { NotificationAccepted } from '@notify/contracts'
import { findAnswers, idempotencyConflict, inProgress, type Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import {
  type AcceptContext,
  type AcceptOutcome,
  type Candidate,
  identityOf,
  type NewNotification,
} from './accept-item.ts'
import { acceptedText } from './accepted-text.ts'
import { commitApart } from './commit-apart.ts'
import { isRaced } from './commit-judged.ts'
import { findCommitted } from './committed-store.ts'
import type { WithHeldLocks } from './held-locks.ts'
import { judgeBatch, refusalOf } from './judge-batch.ts'

type Needs = AcceptContext & WithHeldLocks

/**
 * Accepts many requests together; each is judged, committed and refused alone. Of several with the same idempotency key,
 * or the same id of another service, the first goes ahead and the others follow it.
 * @returns outcomes in the order of the candidates
 */
export async function acceptBatch(context: Needs, candidates: readonly Candidate[]): Promise<AcceptOutcome[]> {
  const outcomes = new Map<Candidate, AcceptOutcome>()
  let round = candidates
  while (round.length > 0) {
    const { leaders, followers } = splitTwins(round)
    // What is committed stays accepted, whatever fails afterwards.
    await acceptLeaders(context, leaders, outcomes).catch((error) => {
      for (const candidate of leaders) if (!outcomes.has(candidate)) outcomes.set(candidate, refusalOf(error))
    })
    round = followers
  }
  return candidates.map((candidate) => outcomes.get(candidate)!)
}

function splitTwins(candidates: readonly Candidate[]): { leaders: Candidate[]; followers: Candidate[] } {
  const seen = new Set<string>()
  const leaders: Candidate[] = []
  const followers: Candidate[] = []
  for (const candidate of candidates) {
    const id = twinId(candidate)
    if (id !== undefined && seen.has(id)) {
      followers.push(candidate)
      continue
    }
    if (id !== undefined) seen.add(id)
    leaders.push(candidate)
  }
  return { leaders, followers }
}

/** Identifies concurrent repetitions: by idempotency key, or by the id that another service chose. */
function twinId({ idempotency, terms, notificationId }: Candidate): string | undefined {
  if (idempotency) return identityOf(idempotency)
  return terms && notificationId
}

async function acceptLeaders(
  context: Needs,
  leaders: readonly Candidate[],
  outcomes: Map<Candidate, AcceptOutcome>,
): Promise<void> {
  const { run } = context.db
  await answerAgain(run, leaders, outcomes)
  const fresh = leaders.filter((candidate) => !outcomes.has(candidate))
  await commitFresh(context, fresh, outcomes)
  await answerCommitted(run, leaders, outcomes)
}

async function commitFresh(
  context: Needs,
  fresh: readonly Candidate[],
  outcomes: Map<Candidate, AcceptOutcome>,
): Promise<void> {
  const { run } = context.db
  const accepted: NewNotification[] = []
  for (const [index, judged] of (await judgeBatch(context, fresh)).entries()) {
    if (judged instanceof Problem) outcomes.set(fresh[index]!, judged)
    else accepted.push(judged)
  }
  if (accepted.length === 0) return
  const committed = await commitApart(context, accepted)
  const lost: Candidate[] = []
  for (const [index, { candidate }] of accepted.entries()) {
    const outcome = committed[index]!
    if (isRaced(outcome)) lost.push(candidate)
    else outcomes.set(candidate, outcome)
  }
  // The winner of the race for a key has committed by now.
  for (const candidate of lost) outcomes.set(candidate, inProgress())
  await answerAgain(run, lost, outcomes)
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
  const answers = new Map(found.map((answer) => [identityOf(answer), answer]))
  for (const candidate of keyed) {
    const { fingerprint } = candidate.idempotency!
    const answer = answers.get(identityOf(candidate.idempotency!))
    if (!answer) continue
    if (answer.fingerprint !== fingerprint) outcomes.set(candidate, idempotencyConflict())
    else if (isAnswerTo(candidate, answer.response)) outcomes.set(candidate, { body: answer.response })
    else outcomes.set(candidate, { body: answer.response, replayed: true })
  }
}

/**
 * Settles requests of other services that were committed before: whatever has changed since, or has expired, a repetition is
 * answered as the first time. Only where something was refused or is there already, so that a first request pays nothing.
 */
async function answerCommitted(
  run: Run,
  candidates: readonly Candidate[],
  outcomes: Map<Candidate, AcceptOutcome>,
): Promise<void> {
  const refused = candidates.filter((one) => one.terms && outcomes.get(one) instanceof Problem)
  if (refused.length === 0) return
  const rows = await findCommitted(run, refused).catch((error) => {
    // Unknown whether the refusal is the answer.
    for (const candidate of refused) outcomes.set(candidate, refusalOf(error))
    return []
  })
  const found = new Map(rows.map((row) => [row.id, row]))
  for (const candidate of refused) {
    const row = found.get(candidate.notificationId)
    if (row) outcomes.set(candidate, row.is_same ? { body: acceptedText(candidate) } : idTaken())
  }
}

const idTaken = () => new Problem('idempotency_conflict', 'Another notification has this notification_id')

/** The gateway repeats an unanswered request with the same id. */
function isAnswerTo({ notificationId }: Candidate, response: string): boolean {
  const { notification_id }: NotificationAccepted = JSON.parse(response)
  return notification_id === notificationId
}
