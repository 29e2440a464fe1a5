import { isLockTimeout, type Run, type Statement } from '@notify/database'

const tryLocks: Statement = {
  name: 'try-acceptance-locks',
  text: `do $$ begin
    lock table notifications, outbox, idempotency_keys in row exclusive mode nowait;
    lock table suppressions in access share mode nowait;
  end $$`,
}

/** Whether a table that accepting needs is locked, so that the statement of any request would wait. */
export async function areTablesLocked(run: Run): Promise<boolean> {
  try {
    await run(tryLocks)
    return false
  } catch (error) {
    if (isLockTimeout(error)) return true
    throw error
  }
}
