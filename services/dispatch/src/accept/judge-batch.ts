import { Problem } from '@notify/service-kit'
import type { AcceptContext, Candidate, NewNotification } from './accept-item.ts'
import { judgeCandidate } from './judge-candidate.ts'

/** Judges requests side by side, each alone. @returns what may be committed, or the refusal, in the order of the candidates */
export function judgeBatch(
  context: AcceptContext,
  candidates: readonly Candidate[],
): Promise<(NewNotification | Problem)[]> {
  return Promise.all(candidates.map((candidate) => judgeCandidate(context, candidate).catch(refusalOf)))
}

/** An error as the caller sees it. */
export function refusalOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem('internal_error', 'An internal error occurred; try again', { cause: error })
}
