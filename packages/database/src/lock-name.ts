import { column } from './columns.ts'
import type { Run } from './open.ts'
import { defineStatement } from './statement.ts'

const lock = defineStatement({
  name: 'lock-name',
  isPrepared: false,
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0)) as locked',
  columns: { locked: column.void() },
})

/** Locks a name until the transaction ends. Another transaction that locks it waits for at most `lockTimeoutMs`. */
export async function lockName(run: Run, name: string): Promise<void> {
  await run(lock, [name])
}
