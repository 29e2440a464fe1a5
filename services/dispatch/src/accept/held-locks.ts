import { LRUCache } from 'lru-cache'

/** What requests waited for in vain a moment ago, so that the next ones need not. */
export interface HeldLocks {
  /** Idempotency keys that another transaction held. */
  keys: { add(id: string): void; has(id: string): boolean }
  /** Tables that were locked. */
  tables: { add(): void; wereLocked(): boolean }
}

const maxKeys = 10_000
const keyMs = 30_000
const tablesMs = 5000

export function createHeldLocks(): HeldLocks {
  // Not `max`: it reserves memory for all entries at once.
  const keys = new LRUCache<string, true>({ maxSize: maxKeys, sizeCalculation: () => 1, ttl: keyMs })
  let lockedMs = Number.NEGATIVE_INFINITY
  return {
    keys: { add: (id) => void keys.set(id, true), has: (id) => keys.has(id) },
    tables: {
      add() {
        lockedMs = performance.now()
      },
      wereLocked: () => performance.now() - lockedMs < tablesMs,
    },
  }
}
