import { LRUCache } from 'lru-cache'

/** Values made of templates, remembered by the template's text within bounds: those not used for longest go first. */
export interface TemplateCache<Value> {
  get(template: string): Value | undefined
  set(template: string, value: Value, bytes: number): void
}

interface Bounds {
  maxEntries: number
  /** Of all entries together, roughly. */
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
