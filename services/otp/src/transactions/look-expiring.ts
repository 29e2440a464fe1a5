import { defineStatement, dueInColumns, dueInSql, type Queries } from '@notify/database'

const look = defineStatement({
  name: 'look-expiring-transactions',
  text: dueInSql({ table: 'transactions', due: 'expires_at', where: 'recipient is not null' }),
  columns: dueInColumns,
})

/** Milliseconds until a transaction expires. */
export async function transactionsExpireInMs({ run }: Queries): Promise<number> {
  const [row] = await run(look)
  return row!.due_in_ms
}
