import { defineStatement, dueInColumns, dueInSql, type Run } from '@notify/database'

const look = defineStatement({
  name: 'look-due-fan-outs',
  text: dueInSql({ table: 'fan_outs', due: 'next_at' }),
  columns: dueInColumns,
})

/** Milliseconds until an event is due. */
export async function fanOutsDueInMs(run: Run): Promise<number> {
  const [row] = await run(look, [])
  return row!.due_in_ms
}
