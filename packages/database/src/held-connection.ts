import { AsyncLocalStorage } from 'node:async_hooks'

/** Our images set NODE_ENV: there nothing is checked, and nothing is paid for it. */
const isChecked = process.env.NODE_ENV !== 'production'
const holding = new AsyncLocalStorage<{ pool: object; open: boolean }>()

/** Runs the work of a transaction, which holds a connection of this pool. */
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
 * Refuses to take a connection where one is held: as many callers as the pool has connections would each wait for one more, for
 * ever. In development and in tests it is an error at the first time, not under load.
 * @throws Error in the work of a transaction of this pool
 */
export function requireNoneHeld(pool: object): void {
  const held = isChecked ? holding.getStore() : undefined
  if (held?.open && held.pool === pool) {
    throw new Error('a transaction asked the pool for a second connection: use its own run, or ask before it begins')
  }
}
