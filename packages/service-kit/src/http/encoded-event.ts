import type { StreamContract, StreamEvent } from '@notify/contracts'

/** An event as streams carry it; encoded once, however many streams send it. */
export interface EncodedEvent {
  /** The event as one chunk of the chunked coding (RFC 9112, 7.1). */
  chunk: Buffer
  /** The event alone, a part of `chunk`. */
  text: Buffer
}

const lineEnd = '\r\n'

/**
 * Encodes an event (WHATWG HTML, 9.2.5). JSON contains no line breaks, so `data` fits on one line.
 * @throws TypeError for a name or id with line breaks or NUL
 */
export function encodeEvent<S extends StreamContract>(event: StreamEvent<S>): EncodedEvent {
  const { id, event: name, data } = event as { event: string; data: unknown; id?: string | number }
  // A reader would parse the rest as fields, and ignores an id with NUL.
  if (/[\r\n\0]/.test(name) || (typeof id === 'string' && /[\r\n\0]/.test(id))) {
    throw new TypeError('the name and id of an event must not contain line breaks or NUL')
  }
  const text = `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
  const size = Buffer.byteLength(text)
  const head = size.toString(16) + lineEnd
  const chunk = Buffer.from(head + text + lineEnd)
  return { chunk, text: chunk.subarray(head.length, head.length + size) }
}
