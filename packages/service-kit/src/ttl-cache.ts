import { LRUCache } from 'lru-cache'

interface TtlCacheOptions<Value> {
  /** Lifetime of an entry, in milliseconds. */
  ttlMs: number
  maxEntries: number
  load(key: string): Promise<Value>
  /** Whether to cache a value; all are by default. */
  keep?(value: Value): boolean
}

/** A cache of loaded values; concurrent callers share one load. */
export interface TtlCache<Value> {
  get(key: string): Promise<Value>
  /** The cached value, without loading. */
  peek(key: string): Value | undefined
  clear(): void
}

/**
 * A cache with a short lifetime, so that changes take effect soon without messages. When full, the least recently used
 * entry is dropped.
 */
export function createTtlCache<Value>({ ttlMs, maxEntries, load, keep }: TtlCacheOptions<Value>): TtlCache<Value> {
  // Not the library's `fetch`: its `clear` fails pending loads, whose callers still need a result.
  const entries = new LRUCache<string, { promise: Promise<Value>; value?: Value }>({ max: maxEntries, ttl: ttlMs })
  return {
    get(key) {
      const known = entries.get(key)
      if (known) return known.promise
      const entry: { promise: Promise<Value>; value?: Value } = { promise: load(key) }
      entries.set(key, entry)
      const forget = () => {
        if (entries.peek(key) === entry) entries.delete(key)
      }
      entry.promise.then((loaded) => {
        if (keep?.(loaded) === false) forget()
        else entry.value = loaded
      }, forget)
      return entry.promise
    },
    peek: (key) => entries.get(key)?.value,
    clear: () => entries.clear(),
  }
}
