import type { ErrorCode } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { lockName } from './lock-name.ts'
import type { Run } from './open.ts'
import type { Query } from './query.ts'

interface Room {
  /** The code of the refusal, such as `template_limit_reached`. */
  code: ErrorCode
  /** The counted things in the plural, with their owner: `templates of a tenant`. */
  what: string
  /** Selects the rows of the owner, by an index. */
  rows: { limit(most: number): Query<unknown> }
  /** The ids of the owner. */
  owner: readonly string[]
  most: number
}

/**
 * Refuses another row of an owner that has reached its limit. Concurrent requests of an owner wait for each other until the
 * transaction ends.
 * @throws Problem with the code
 */
export async function requireRoom(run: Run, { code, what, rows, owner, most }: Room): Promise<void> {
  await lockName(run, [what, ...owner].join(' '))
  if ((await run(rows.limit(most))).length >= most) throw new Problem(code, `There may be at most ${most} ${what}`)
}
