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
 * Encodes an event (WHATWG HTML, 9.2.5).
 * @throws TypeError for a name or id with line breaks or NUL
 */
export function encodeEvent<S extends StreamContract>(event: StreamEvent<S>): EncodedEvent {
  const { id, event: name, data } = event as { event: string; data: unknown; id?: string | number }
  return encodeJsonEvent({ id, event: name }, [JSON.stringify(data)])
}

/**
 * The same for data that is JSON already, in pieces; it must not contain line breaks.
 * @throws TypeError for a name or id with line breaks or NUL
 */
export function encodeJsonEvent(
  { id, event }: { id: string | number | undefined; event: string },
  data: readonly (string | Buffer)[],
): EncodedEvent {
  // A reader would parse the rest as fields, and ignores an id with NUL.
  if (/[\r\n\0]/.test(event) || (typeof id === 'string' && /[\r\n\0]/.test(id))) {
    throw new TypeError('the name and id of an event must not contain line breaks or NUL')
  }
  const pieces = [`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: `, ...data, '\n\n']
  const size = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
  const head = size.toString(16) + lineEnd
  const chunk = Buffer.allocUnsafe(head.length + size + lineEnd.length)
  let at = chunk.write(head, 'latin1')
  for (const piece of pieces) at += typeof piece === 'string' ? chunk.write(piece, at) : piece.copy(chunk, at)
  chunk.write(lineEnd, at, 'latin1')
  return { chunk, text: chunk.subarray(head.length, at) }
}
