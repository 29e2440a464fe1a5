import { Problem, Reply } from '@notify/service-kit'
import type { Queries, Run } from '../open.ts'
import {
  claimKey,
  findAnswers,
  finishAnswer,
  type KeyedRequest,
  releaseKey,
  type StoredAnswer,
  saveAnswer,
  unfinished,
} from './key-store.ts'
import { idempotencyConflict } from './refusals.ts'
import { type Lines, takeTurns } from './take-turns.ts'

/** How an effect ended. Each of these commits; a thrown error rolls back. */
export type Result =
  /** The final response: repetitions receive it. */
  | Reply
  /**
   * A response that is not stored: a part failed internally, or it must not be kept. A repetition prepares with `done` and completes
   * the rest.
   */
  | { reply: Reply; done: string }
  /** The response needs work outside of the transaction. If the process dies meanwhile, a repetition prepares with `done`. */
  | { finish(): Promise<Reply | Refusal>; done: string }
  | Refusal

/** A refusal that is thrown after the commit of its effect. Not stored: its key may be used again, for another body too. */
export interface Refusal {
  refuse: Problem
}

/** The work of a request in two steps; only the second holds a connection. */
export interface Work<Prepared> {
  /**
   * Validates the request. The result may be discarded. @param done the state of an unfinished earlier request with this key
   * @throws Problem `idempotency_in_progress` while that request must be waited for
   */
  prepare(done: string | undefined): Promise<Prepared>
  /** Writes, in the transaction that stores the response. Throws to refuse, so that nothing is stored. */
  effect(run: Run, prepared: Prepared): Promise<Result>
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
  return takeTurns(lines, `${request.scope}\n${request.key}`, waitMs, async () => {
    const [stored] = await findAnswers(db.run, [request])
    if (stored && stored.fingerprint !== request.fingerprint) throw idempotencyConflict()
    if (stored && stored.status !== unfinished) return replay(stored, seal)
    const seen = stored?.response ?? ''
    const prepared = await prepareUnlessAnswered(db, request, seen, () =>
      work.prepare(stored && seal.open(stored.response)),
    )
    const committed = prepared && (await commit(db, request, seen, seal, (run) => work.effect(run, prepared.value)))
    if (!committed) return undefined
    const { result, state } = committed
    if (!('finish' in result)) return replyOf(result)
    const end = await result.finish()
    if (end instanceof Reply) return (await finishAnswer(db.run, request, sealed(end, seal))) ? end : undefined
    await releaseKey(db.run, request, state)
    throw end.refuse
  })
}

/**
 * A concurrent request with the same key may complete during `prepare` and cause its refusal; then the response of that
 * request counts. While `prepare` must wait for one, it is tried again.
 * @returns undefined in both cases
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
    if (error instanceof Problem && error.code === 'idempotency_in_progress') return undefined
    throw error
  }
}

/** @returns the result with the state of its record as stored; undefined when another request holds or held the key */
async function commit(
  db: Queries,
  request: KeyedRequest,
  seen: string,
  seal: Seal,
  effect: (run: Run) => Promise<Result>,
): Promise<{ result: Result; state: string } | undefined> {
  return db.transaction(async (run) => {
    if (!(await claimKey(run, request, seen))) return undefined
    const result = await effect(run)
    if ('refuse' in result) {
      await releaseKey(run, request, seen)
      return { result, state: seen }
    }
    const record =
      result instanceof Reply ? sealed(result, seal) : { status: unfinished, response: seal.seal(result.done) }
    await saveAnswer(run, request, record)
    return { result, state: record.response }
  })
}

/** The response of a committed effect. @throws its refusal, and errors of its `finish` */
export async function replyOf(result: Result): Promise<Reply> {
  if (result instanceof Reply) return result
  if ('refuse' in result) throw result.refuse
  return 'reply' in result ? result.reply : replyOf(await result.finish())
}

/** An error here rolls the effect back, because an effect must not exist without its record. */
function sealed({ status, text }: Reply, { seal }: Seal): Pick<StoredAnswer, 'status' | 'response'> {
  if (status < 200 || status > 299) throw new Error(`an effect returned ${status}`)
  return { status, response: seal(text) }
}

function replay({ status, response }: StoredAnswer, { open }: Seal): Reply {
  return new Reply(status, open(response), { 'Idempotent-Replayed': 'true' })
}
