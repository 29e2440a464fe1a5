import type { Id } from '@notify/contracts'
import type { Queries } from '../open.ts'

/** The person whose data is erased. */
export interface Person {
  tenantId: Id<'ten'>
  /** Phone number, email address or user id. */
  recipient: string
  /** The recipient's blind index; absent in services that have no key for it. */
  index: string | undefined
  /** Whether suppressions, stops and revocations are erased too (`--forget-stops`). */
  forgetStops: boolean
}

/** Erases a person from one table, or from the stream. */
export interface Erasure {
  /** The name in the output. */
  name: string
  count(db: Queries, person: Person): Promise<number>
  /** Erases a batch, which commits alone. @returns how many rows; 0 once none is left */
  erase(db: Queries, person: Person): Promise<number>
  /** How many rows were skipped because they cannot be decrypted, so that whose they are is unknown. */
  unreadable?(): number
}

/** Replaces an erased text. */
export const erasedText = 'erased'

const code = /^[A-Za-z0-9_.-]+$/

/** SQL: what is left of a `failure_reason`: a code stays, any other text may be a carrier's. */
export const erasedReasonSql = (reason: string): string => `case when ${reason} ~ '${code.source}' then ${reason} end`

/** The same of a value. */
export const erasedReasonOf = (reason: unknown): string | null =>
  typeof reason === 'string' && code.test(reason) ? reason : null
