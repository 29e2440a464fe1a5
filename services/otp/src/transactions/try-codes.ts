import type { Id, KeyMode } from '@notify/contracts'
import { defineStatements, isLockTimeout, pick, type Queries, type RowOf, type Run } from '@notify/database'
import { coalesce } from '@notify/service-kit'
import { answers } from '../codes/code-proof.ts'
import { tables } from '../db/schema.ts'
import { factsInto } from './fact-sql.ts'

/** Most wrong codes of a transaction. */
export const mostAttempts = 5

/** A code to try for one transaction. */
export interface Try {
  id: Id<'otp'>
  application_id: Id<'app'>
  mode: KeyMode
  salt: string
  answer: string
  traceparent: string | null
}

const columns = pick(tables.transactions, 'id', 'attempts', 'verified_at', 'is_custom')

/** A transaction after a try. */
export type Tried = RowOf<typeof columns>

const isRight = answers('t.code_proof', 'input.salt', 'input.answer')

/**
 * Checks and counts in one conditional UPDATE. A statement that waited for a row evaluates it again, so a code verifies once
 * and is tried at most five times. Rows are locked in the order of their ids, so batches never deadlock.
 */
const tryCodes = defineStatements(
  (locked: 'wait' | 'skip') => ({
    name: locked === 'wait' ? 'try-codes' : 'try-unlocked-codes',
    text: `
    with input as (
      select * from json_to_recordset($1::json) as i (id text, application_id text, mode text, salt text, answer text,
        traceparent text)
    ), locked as (
      select t.id from transactions t join input using (id)
      where t.application_id = input.application_id and t.mode = input.mode order by t.id for no key update of t${locked === 'skip' ? ' skip locked' : ''}
    ), tried as (
      update transactions t set
        attempts = t.attempts + (not ${isRight})::int,
        status = case when ${isRight} then 'verified' else t.status end,
        verified_at = case when ${isRight} then clock_timestamp() end,
        failure_reason = case when ${isRight} then null else t.failure_reason end,
        recipient = case when ${isRight} then null else t.recipient end,
        revision = t.revision + ${isRight}::int,
        traceparent = coalesce(input.traceparent, t.traceparent),
        updated_at = clock_timestamp()
      from input join locked using (id)
      where t.id = input.id and t.code_proof is not null and t.verified_at is null and t.attempts < ${mostAttempts} and t.expires_at > now()
      returning t.*
    ), facts as (${factsInto('tried where verified_at is not null')})
    select id, attempts, verified_at, is_custom from tried`,
    columns,
  }),
  'wait',
  'skip',
)

/** Tries codes, at most one per transaction. @returns the transactions that were open */
export function tryCodesOf(run: Run, tries: readonly Try[]): Promise<Tried[]> {
  return run(tryCodes('wait'), [JSON.stringify(tries)])
}

/** The same of several callers: a transaction that stays locked counts as not open, and holds up no other. */
async function tryCodesTogether(run: Run, tries: readonly Try[]): Promise<Tried[]> {
  try {
    return await tryCodesOf(run, tries)
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    return run(tryCodes('skip'), [JSON.stringify(tries)])
  }
}

/** Tries one code. Concurrent tries share a statement. */
export type TryCode = (one: Try) => Promise<Tried | undefined>

export function createTryCode({ db, wakeOutbox }: { db: Queries; wakeOutbox(): void }): TryCode {
  return coalesce<Try, Tried | undefined>({
    maxBatch: 128,
    maxInFlight: 4,
    async run(tries) {
      const results: (Tried | undefined)[] = new Array(tries.length)
      const closed = new Set<string>()
      for (const round of roundsOf(tries)) {
        const left = [...round].filter(([, { id }]) => !closed.has(id))
        // Many tries of one transaction in a batch would delay the answers to all others.
        if (left.length === 0) break
        const tried = new Map(
          (
            await tryCodesTogether(
              db.run,
              left.map(([, one]) => one),
            )
          ).map((row) => [row.id, row]),
        )
        for (const [index, { id }] of left) {
          const row = tried.get(id)
          results[index] = row
          if (!row || row.verified_at || row.attempts >= mostAttempts) closed.add(id)
        }
      }
      if (results.some((one) => one?.verified_at)) wakeOutbox()
      return results
    },
  })
}

/** A statement changes a row once, so tries of one transaction go into successive rounds. */
function roundsOf(tries: readonly Try[]): Map<number, Try>[] {
  const rounds: Map<number, Try>[] = []
  const placeOf = new Map<string, number>()
  for (const [index, one] of tries.entries()) {
    const place = placeOf.get(one.id) ?? 0
    placeOf.set(one.id, place + 1)
    rounds[place] ??= new Map()
    rounds[place].set(index, one)
  }
  return rounds
}
