import { LRUCache } from 'lru-cache'

interface TtlCacheOptions<Value> {
  /** How long an entry is used, in milliseconds. */
  ttlMs: number
  maxEntries: number
  load(key: string): Promise<Value>
  /** Whether a value is remembered; every one is unless this says otherwise. */
  keep?(value: Value): boolean
}

/** Remembers what was loaded for a short time; callers at the same moment share one load. */
export interface TtlCache<Value> {
  get(key: string): Promise<Value>
  /** What is remembered, at once; nothing is loaded. */
  peek(key: string): Value | undefined
  clear(): void
}

interface Entry<Value> {
  promise: Promise<Value>
  value?: Value
  freshUntilMs: number
}

/**
 * A cache whose entries live for a short time, so that a change is seen everywhere soon, without any message. A full one drops
 * what was not asked for longest.
 */
export function createTtlCache<Value>({ ttlMs, maxEntries, load, keep }: TtlCacheOptions<Value>): TtlCache<Value> {
  // Not the library's `fetch`: its `clear` fails the loads under way. Nor its `ttl`, which costs more than the rest of a look.
  const entries = new LRUCache<string, Entry<Value>>({ max: maxEntries })
  const fresh = (key: string) => {
    const entry = entries.get(key)
    return entry && entry.freshUntilMs > performance.now() ? entry : undefined
  }
  return {
    get(key) {
      const known = fresh(key)
      if (known) return known.promise
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
