import type { InboxEvent } from './inbox-event.ts'

/**
 * Events as replicas send them to each other: a line of JSON, then the encrypted contents one after the other. Every replica with a stream
 * of the user reads each, so contents stay bytes.
 */
interface Line extends Omit<InboxEvent, 'content'> {
  /** Bytes of the content; null without one. */
  size: number | null
}

const lineEnd = 10

/** Tells that the preferences of the user have changed. It has no content: clients that show them read them again. */
export const preferencesSignal = 'preferences'
const signalBytes = Buffer.from(`${JSON.stringify(preferencesSignal)}\n`)

export function writePreferencesSignal(): Buffer {
  return signalBytes
}

export function writeLiveMessage(events: readonly InboxEvent[]): Buffer {
  const lines = events.map(
    ({ seq, kind, item_id, unread_count, created_at, content }): Line => ({
      seq,
      kind,
      item_id,
      unread_count,
      created_at,
      size: content?.length ?? null,
    }),
  )
  return Buffer.concat([Buffer.from(`${JSON.stringify(lines)}\n`), ...events.flatMap(({ content }) => content ?? [])])
}

/**
 * The contents are parts of `data`: keeping an event keeps all of it.
 * @throws Error for what {@link writeLiveMessage} and {@link writePreferencesSignal} did not write
 */
export function readLiveMessage(data: Uint8Array): InboxEvent[] | typeof preferencesSignal {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length)
  const end = bytes.indexOf(lineEnd)
  let at = end + 1
  const read = JSON.parse(bytes.toString('utf8', 0, Math.max(0, end))) as Line[] | typeof preferencesSignal
  if (read === preferencesSignal) return read
  return read.map(({ seq, kind, item_id, unread_count, created_at, size }) => {
    const content = size === null ? null : bytes.subarray(at, at + size)
    at += size ?? 0
    return { seq, kind, item_id, unread_count, created_at, content }
  })
}
