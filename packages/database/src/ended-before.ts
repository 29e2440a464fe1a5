import { column } from './columns.ts'
import type { Queries } from './open.ts'
import { defineStatement } from './statement.ts'

/**
 * Uses the earlier of two clocks, that of Postgres and that of this process, so that one fast clock deletes nothing too
 * early.
 * @param olderThanMs the retention
 * @param nowMs the clock of this process
 * @returns the time before which ended rows are deleted
 */
export async function endedBefore({ run }: Queries, olderThanMs: number, nowMs = Date.now()): Promise<Date> {
  const [row] = await run(moment, [new Date(nowMs), olderThanMs])
  return row!.moment
}

const moment = defineStatement({
  name: 'ended-before',
  text: `select least(now(), $1::timestamptz) - $2 * interval '1 millisecond' as moment`,
  columns: { moment: column.timestamp() },
})
