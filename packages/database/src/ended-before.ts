import type { Queries } from './open.ts'

/**
 * Uses the earlier of two clocks, that of Postgres and that of this process, so that a clock that runs ahead deletes nothing.
 * @param olderThanMs the retention
 * @param nowMs the clock of this process
 * @returns the end of the retention: what ended earlier is deleted
 */
export async function endedBefore({ run }: Queries, olderThanMs: number, nowMs = Date.now()): Promise<Date> {
  const [row] = await run<{ moment: Date }>(
    `select least(now(), $1::timestamptz) - $2 * interval '1 millisecond' as moment`,
    [new Date(nowMs), olderThanMs],
  )
  return row!.moment
}
