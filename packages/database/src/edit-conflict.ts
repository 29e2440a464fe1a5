import { Problem } from '@notify/service-kit'

/** SQL of the next `updated_at` of a locked row. No two states of a row have the same, in milliseconds, as callers see it. */
export const nextUpdatedAt = (column = 'updated_at'): string =>
  `greatest(clock_timestamp(), date_trunc('milliseconds', ${column}) + interval '1 millisecond')`

/**
 * Refuses a change that is based on another state than the present one.
 * @param what the resource, such as `event`
 * @param updatedAt of its locked row
 * @param expected `updated_at` that the request names; undefined: any
 * @throws Problem `edit_conflict`
 */
export function requireUnchanged(what: string, updatedAt: Date, expected: string | undefined): void {
  if (expected === undefined || Date.parse(expected) === updatedAt.getTime()) return
  throw new Problem('edit_conflict', `The ${what} was changed at ${updatedAt.toISOString()}, after ${expected}`)
}
