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
  clear(): void
}

/** A cache whose entries live for a short time, so that a change is seen everywhere soon, without any message. */
export function createTtlCache<Value>({ ttlMs, maxEntries, load, keep }: TtlCacheOptions<Value>): TtlCache<Value> {
  const entries = new Map<string, { value: Promise<Value>; freshUntilMs: number }>()
  return {
    get(key) {
      const now = performance.now()
      const known = entries.get(key)
      if (known && known.freshUntilMs > now) return known.value
      if (entries.size >= maxEntries) entries.clear()
      const value = load(key)
      entries.set(key, { value, freshUntilMs: now + ttlMs })
      const forget = () => {
        if (entries.get(key)?.value === value) entries.delete(key)
      }
      value.then((loaded) => {
        if (keep?.(loaded) === false) forget()
      }, forget)
      return value
    },
    clear: () => entries.clear(),
  }
}
