import type { ErrorCode } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { column } from './columns.ts'
import type { Run } from './open.ts'
import type { Query } from './query.ts'
import { defineStatement } from './statement.ts'

interface Room {
  /** The code of the refusal, such as `template_limit_reached`. */
  code: ErrorCode
  /** What is counted, in the plural and with its owner: `templates of a tenant`. */
  what: string
  /** Selects what the owner has, by an index. */
  rows: { limit(most: number): Query<unknown> }
  /** The ids of the owner. */
  owner: readonly string[]
  most: number
}

/**
 * Refuses a further row of an owner that has as many as it may. Concurrent requests of one owner wait for each other
 * until the transaction ends.
 * @throws Problem with the code
 */
export async function requireRoom(run: Run, { code, what, rows, owner, most }: Room): Promise<void> {
  await run(lock, [[what, ...owner].join(' ')])
  if ((await run(rows.limit(most))).length >= most) throw new Problem(code, `There may be at most ${most} ${what}`)
}

const lock = defineStatement({
  name: 'lock-room',
  isPrepared: false,
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0)) as locked',
  columns: { locked: column.void() },
})
