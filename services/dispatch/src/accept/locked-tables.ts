import { isLockTimeout, type Run, type Statement } from '@notify/database'

const tryLocks: Statement = {
  name: 'try-acceptance-locks',
  text: `do $$ begin
    lock table notifications, outbox, idempotency_keys in row exclusive mode nowait;
    lock table suppressions in access share mode nowait;
  end $$`,
}

/** The error of a lock on a table that accepting needs, if the statement of any request would wait for one now. */
export async function findTableLock(run: Run): Promise<Error | undefined> {
  try {
    await run(tryLocks)
    return undefined
  } catch (error) {
    if (error instanceof Error && isLockTimeout(error)) return error
    throw error
  }
}
