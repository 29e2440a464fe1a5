import { Reply } from '@notify/service-kit'
import type { Queries, Run } from '../open.ts'
import { claimKey, findAnswers, type KeyedRequest, type StoredAnswer, saveAnswer, unfinished } from './key-store.ts'
import { idempotencyConflict, inProgress, isLockTimeout } from './refusals.ts'
import { createPatience, type Lines, takeTurns } from './take-turns.ts'

/** An answer that is not kept, because a part failed on our side; a repetition is told `done` and does only the rest. */
export interface Unfinished {
  reply: Reply
  done: string
}

/** A request's work in two steps: only the second holds a connection, and it takes no other one. */
export interface Work<Prepared> {
  /** Judges the request. May be done in vain. @param done what an earlier, unfinished request wrote down */
  prepare(done: string | undefined): Promise<Prepared>
  /** Writes, in the transaction that keeps the answer; refuses by throwing, so that nothing is kept. */
  effect(run: Run, prepared: Prepared): Promise<Reply | Unfinished>
}

/** Makes answers unreadable in the table, and readable again. */
export interface Seal {
  seal(text: string): string
  open(sealed: string): string
}

const legible: Seal = { seal: (text) => text, open: (text) => text }
const longestWaitMs = 5000
const linesOf = new WeakMap<Queries, Lines>()

/**
 * Runs the work of a key once: its answer commits with its effect, and later requests get that answer. Twins of this process
 * wait in memory, twins of another one without a connection.
 * @param waitMs how long to wait for a twin
 * @throws Problem `idempotency_conflict` for another body, `idempotency_in_progress` when the wait was in vain
 */
export function runIdempotently<Prepared>(
  db: Queries,
  request: KeyedRequest,
  work: Work<Prepared>,
  { seal = legible, waitMs = longestWaitMs }: { seal?: Seal; waitMs?: number } = {},
): Promise<Reply> {
  const lines = linesOf.get(db) ?? new Map()
  linesOf.set(db, lines)
  const patience = createPatience(waitMs)
  return takeTurns(lines, `${request.scope}\n${request.key}`, patience, async () => {
    for (;;) {
      const [stored] = await findAnswers(db.run, [request])
      if (stored && stored.fingerprint !== request.fingerprint) throw idempotencyConflict()
      if (stored && stored.status !== unfinished) return replay(stored, seal)
      const seen = stored?.response ?? ''
      const prepared = await prepareUnlessAnswered(db, request, seen, () =>
        work.prepare(stored && seal.open(stored.response)),
      )
      if (prepared === undefined) continue
      const reply = await commit(db, request, seen, seal, (run) => work.effect(run, prepared.value))
      if (reply) return reply
      await patience.pause()
    }
  })
}

/** What a twin has just done may be the reason for a refusal: then its answer counts. @returns undefined in that case */
async function prepareUnlessAnswered<Prepared>(
  db: Queries,
  request: KeyedRequest,
  seen: string,
  prepare: () => Promise<Prepared>,
): Promise<{ value: Prepared } | undefined> {
  try {
    return { value: await prepare() }
  } catch (error) {
    const [stored] = await findAnswers(db.run, [request]).catch(() => [])
    if (stored && stored.response !== seen) return undefined
    throw error
  }
}

/** @returns undefined when the key is, or was, somebody else's */
async function commit(
  db: Queries,
  request: KeyedRequest,
  seen: string,
  { seal }: Seal,
  effect: (run: Run) => Promise<Reply | Unfinished>,
): Promise<Reply | undefined> {
  try {
    return await db.transaction(async (run) => {
      if (!(await claimKey(run, request, seen))) return undefined
      const result = await effect(run)
      if (!(result instanceof Reply)) {
        await saveAnswer(run, request, { status: unfinished, response: seal(result.done) })
        return result.reply
      }
      // Thrown, it takes the effect back: what is not kept must not have happened.
      if (result.status < 200 || result.status > 299) throw new Error(`an effect answered ${result.status}`)
      await saveAnswer(run, request, { status: result.status, response: seal(result.text) })
      return result
    })
  } catch (error) {
    throw isLockTimeout(error) ? inProgress() : error
  }
}

function replay({ status, response }: StoredAnswer, { open }: Seal): Reply {
  return new Reply(status, open(response), { 'Idempotent-Replayed': 'true' })
}
