import { optedOutBecause } from '../../catalogue/preferences/opted-out-because.ts'
import { suppressedBecause } from '../../catalogue/suppressions/suppressed-because.ts'
import { hasExpired, isCalledOff } from '../facts/expiry-sql.ts'

/** SQL for whether a row of `notifications` may be retried now: its failure allows it, and nothing has ended it since. */
export const isRetryable = (row: string): string =>
  `(${row}.retryable and ${row}.payload is not null and not ${hasExpired(row)} and not ${isCalledOff(row)}
    and ${suppressedBecause(row)} is null and ${optedOutBecause(row)} is null)`
