/** Values made of templates, remembered by the template's text within bounds: the oldest go first. */
export interface TemplateCache<Value> {
  get(template: string): Value | undefined
  set(template: string, value: Value, bytes: number): void
}

interface Bounds {
  maxEntries: number
  /** Of all entries together, roughly. */
  maxBytes: number
}

export function createTemplateCache<Value>({ maxEntries, maxBytes }: Bounds): TemplateCache<Value> {
  const entries = new Map<string, { value: Value; bytes: number }>()
  let bytesHeld = 0
  const drop = (template: string) => {
    bytesHeld -= entries.get(template)?.bytes ?? 0
    entries.delete(template)
  }
  return {
    get: (template) => entries.get(template)?.value,
    set(template, value, bytes) {
      drop(template)
      if (bytes > maxBytes) return
      for (const oldest of entries.keys()) {
        if (entries.size < maxEntries && bytesHeld + bytes <= maxBytes) break
        drop(oldest)
      }
      entries.set(template, { value, bytes })
      bytesHeld += bytes
    },
  }
}
