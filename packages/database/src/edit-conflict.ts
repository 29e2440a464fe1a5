import { Problem } from '@notify/service-kit'

/** SQL of the next `updated_at` of a locked row: at least a millisecond after the last one, because callers see milliseconds. */
export const nextUpdatedAt = (column = 'updated_at'): string =>
  `greatest(clock_timestamp(), date_trunc('milliseconds', ${column}) + interval '1 millisecond')`

/**
 * Refuses a change that is based on another state than the present one.
 * @param what the resource for the error message, such as `event`
 * @param updatedAt the `updated_at` of the locked row
 * @param expected the `updated_at` that the request names; without it, every state is accepted
 * @throws Problem `edit_conflict`
 */
export function requireUnchanged(what: string, updatedAt: Date, expected: string | undefined): void {
  if (expected === undefined || Date.parse(expected) === updatedAt.getTime()) return
  throw new Problem('edit_conflict', `The ${what} was changed at ${updatedAt.toISOString()}, after ${expected}`)
}
