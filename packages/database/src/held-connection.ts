import { AsyncLocalStorage } from 'node:async_hooks'

/** Our images set NODE_ENV=production, which disables the check. */
const isChecked = process.env.NODE_ENV !== 'production'
const holding = new AsyncLocalStorage<{ pool: object; open: boolean }>()

/** Runs work that holds a connection of this pool. */
export async function whileHeld<T>(pool: object, work: () => Promise<T>): Promise<T> {
  if (!isChecked) return work()
  const held = { pool, open: true }
  try {
    return await holding.run(held, work)
  } finally {
    held.open = false
  }
}

/**
 * Refuses a second connection to code that holds one, because a pool full of such callers deadlocks. In development and
 * tests this fails at once, and not only under load.
 * @throws Error inside work that holds one of this pool
 */
export function requireNoneHeld(pool: object): void {
  const held = isChecked ? holding.getStore() : undefined
  if (held?.open && held.pool === pool) {
    throw new Error('a second connection was requested by the holder of one: use its own run, or query before')
  }
}
