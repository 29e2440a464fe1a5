import { LRUCache } from 'lru-cache'

interface TtlCacheOptions<Value, Key> {
  /** Lifetime of an entry, in milliseconds. */
  ttlMs: number
  maxEntries: number
  load(key: Key): Promise<Value>
  /** Whether to cache a value; all are by default. */
  keep?(value: Value): boolean
}

/** A cache of loaded values; concurrent callers share one load. */
export interface TtlCache<Value, Key = string> {
  /** @param admit called before a load; if it throws, nothing is loaded */
  get(key: Key, admit?: () => void): Promise<Value>
  /** The cached value, without loading. */
  peek(key: Key): Value | undefined
  clear(): void
}

interface Entry<Value> {
  promise: Promise<Value>
  value?: Value
  freshUntilMs: number
}

/**
 * A cache with a short lifetime, so that changes take effect soon without messages. When full, the least recently used
 * entry is dropped.
 */
export function createTtlCache<Value, Key extends string = string>({
  ttlMs,
  maxEntries,
  load,
  keep,
}: TtlCacheOptions<Value, Key>): TtlCache<Value, Key> {
  // Not the library's `fetch`: its `clear` fails the loads under way. Nor its `ttl`, which costs more than the rest of a look.
  // Not `max`: it reserves memory for all entries at once.
  const entries = new LRUCache<Key, Entry<Value>>({ maxSize: maxEntries, sizeCalculation: () => 1 })
  const fresh = (key: Key) => {
    const entry = entries.get(key)
    return entry && entry.freshUntilMs > performance.now() ? entry : undefined
  }
  return {
    get(key, admit) {
      const known = fresh(key)
      if (known) return known.promise
      admit?.()
      const entry: Entry<Value> = { promise: load(key), freshUntilMs: performance.now() + ttlMs }
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
    peek: (key) => fresh(key)?.value,
    clear: () => entries.clear(),
  }
}
