import { LRUCache } from 'lru-cache'

/** A bounded LRU cache of values derived from templates, by template text. */
export interface TemplateCache<Value> {
  get(template: string): Value | undefined
  set(template: string, value: Value, bytes: number): void
}

interface Bounds {
  maxEntries: number
  /** Approximate total size of all entries. */
  maxBytes: number
}

export function createTemplateCache<Value extends NonNullable<unknown>>({
  maxEntries,
  maxBytes,
}: Bounds): TemplateCache<Value> {
  const entries = new LRUCache<string, Value>({ max: maxEntries, maxSize: maxBytes })
  return {
    get: (template) => entries.get(template),
    set: (template, value, bytes) => void entries.set(template, value, { size: Math.max(1, Math.ceil(bytes)) }),
  }
}
