import { Reply } from '@notify/service-kit'
import type { Queries, Run } from '../open.ts'
import { claimKey, findAnswers, type KeyedRequest, type StoredAnswer, saveAnswer, unfinished } from './key-store.ts'
import { idempotencyConflict } from './refusals.ts'
import { createPatience, type Lines, takeTurns } from './take-turns.ts'

/**
 * A response that is not final, because a part failed internally. A repetition receives `done` and completes the rest.
 */
export interface Unfinished {
  reply: Reply
  done: string
}

/** The work of a request in two steps; only the second holds a connection. */
export interface Work<Prepared> {
  /** Validates the request. May run in vain. @param done state of an earlier, unfinished request */
  prepare(done: string | undefined): Promise<Prepared>
  /** Writes, in the transaction that stores the response. Throws to refuse, so that nothing is stored. */
  effect(run: Run, prepared: Prepared): Promise<Reply | Unfinished>
}

/** Encrypts and decrypts stored responses. */
export interface Seal {
  seal(text: string): string
  open(sealed: string): string
}

const legible: Seal = { seal: (text) => text, open: (text) => text }
const longestWaitMs = 5000
const linesOf = new WeakMap<Queries, Lines>()

/**
 * Runs the work of a key once: the response commits with its effect, and later requests receive it. Concurrent requests
 * of this process wait in memory, those of other processes poll without a connection.
 * @param waitMs how long to wait for a concurrent request
 * @throws Problem `idempotency_conflict` for another body, `idempotency_in_progress` on timeout
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

/**
 * If a concurrent request just completed, a refusal may be its consequence; then its response counts. @returns
 * undefined in that case
 */
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

/** @returns undefined when another request holds or held the key */
async function commit(
  db: Queries,
  request: KeyedRequest,
  seen: string,
  { seal }: Seal,
  effect: (run: Run) => Promise<Reply | Unfinished>,
): Promise<Reply | undefined> {
  return db.transaction(async (run) => {
    if (!(await claimKey(run, request, seen))) return undefined
    const result = await effect(run)
    if (!(result instanceof Reply)) {
      await saveAnswer(run, request, { status: unfinished, response: seal(result.done) })
      return result.reply
    }
    // Throwing rolls the effect back: an effect without a record must not exist.
    if (result.status < 200 || result.status > 299) throw new Error(`an effect returned ${result.status}`)
    await saveAnswer(run, request, { status: result.status, response: seal(result.text) })
    return result
  })
}

function replay({ status, response }: StoredAnswer, { open }: Seal): Reply {
  return new Reply(status, open(response), { 'Idempotent-Replayed': 'true' })
}
