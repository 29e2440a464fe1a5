import type { ErrorCode } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Run } from './open.ts'

interface Room {
  /** The code of the refusal, such as `template_limit_reached`. */
  code: ErrorCode
  /** What is counted, in the plural and with its owner: `templates of a tenant`. */
  what: string
  /** Selects what the owner has, by an index. */
  rows: string
  /** Parameters of `rows`: the ids of the owner. */
  owner: readonly string[]
  most: number
}

/**
 * Refuses a further row of an owner that has as many as it may. Concurrent requests of one owner wait for each other
 * until the transaction ends.
 * @throws Problem with the code
 */
export async function requireRoom(run: Run, { code, what, rows, owner, most }: Room): Promise<void> {
  await run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [[what, ...owner].join(' ')])
  const limit = `$${owner.length + 1}::int`
  const [counted] = await run<{ count: number }>(
    `select count(*)::int as count from (${rows} limit ${limit}) as counted`,
    [...owner, most],
  )
  if (counted!.count >= most) throw new Problem(code, `There may be at most ${most} ${what}`)
}
