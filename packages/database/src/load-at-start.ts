import { setTimeout as delay } from 'node:timers/promises'
import { column } from './columns.ts'
import type { Queries, Run } from './open.ts'
import { defineStatement } from './statement.ts'
import { isUnavailable, type StartKit, waitMs } from './temporary-error.ts'

const mostAttempts = 40
const pollMs = 100

/**
 * Loads initial data in one transaction, one process of the service at a time; others wait. Tries again after a lock
 * timeout, a deadlock, a slow statement or a lost connection.
 * @throws the error of `load`, after 40 attempts if it is of these kinds, or when the service stops meanwhile
 */
export async function loadAtStart<T>(kit: StartKit, db: Queries, load: (run: Run) => Promise<T>): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      const loaded = await db.transaction(async (run) =>
        (await takeTurn(run)) ? { value: await load(run) } : undefined,
      )
      if (loaded) return loaded.value
      if (kit.lifecycle.stopping) throw new Error('stopped while another process loads initial data')
      await delay(pollMs * (0.5 + Math.random()))
    } catch (error) {
      failures++
      if (!isUnavailable(error) || failures >= mostAttempts || kit.lifecycle.stopping) throw error
      const againMs = waitMs(failures)
      kit.log.warn({ failures, reason: (error as Error).message, again_ms: againMs }, 'loading failed; retrying')
      await delay(againMs)
    }
  }
}

/**
 * Polls for the lock, because the lock timeout would end a wait. The lock name contains the schema, because all services
 * share the database.
 */
async function takeTurn(run: Run): Promise<boolean> {
  const [row] = await run(tryLock)
  return row!.taken
}

const tryLock = defineStatement({
  name: 'take-turn-at-start',
  isPrepared: false,
  text: `select pg_try_advisory_xact_lock(hashtextextended('initial data of ' || current_schema(), 0)) as taken`,
  columns: { taken: column.boolean() },
})
