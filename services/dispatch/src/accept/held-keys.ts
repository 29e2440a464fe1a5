import { LRUCache } from 'lru-cache'

/** Idempotency keys that another transaction held when a request waited for them. */
export interface HeldKeys {
  add(id: string): void
  has(id: string): boolean
}

const maxKeys = 10_000
const rememberedMs = 30_000

export function createHeldKeys(): HeldKeys {
  // Not `max`: it reserves memory for all entries at once.
  const keys = new LRUCache<string, true>({ maxSize: maxKeys, sizeCalculation: () => 1, ttl: rememberedMs })
  return { add: (id) => void keys.set(id, true), has: (id) => keys.has(id) }
}
