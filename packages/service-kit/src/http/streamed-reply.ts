import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** A reader that takes nothing for this time is disconnected; if it took a part of the last piece, after twice this time. */
const stalledMs = 20_000

/**
 * A response whose text is produced while it is sent, such as an export. Begin no work before `text` is read, because it may
 * never be.
 */
export class StreamedReply {
  readonly text: AsyncIterable<string>
  readonly headers: OutgoingHttpHeaders
  readonly onEnd: () => void

  /**
   * @param text read piece by piece, each after the caller has taken the last one; ended when the caller disconnects
   * @param onEnd called once, when the response was sent or ended early
   */
  constructor(text: AsyncIterable<string>, headers: OutgoingHttpHeaders = {}, onEnd: () => void = () => {}) {
    this.text = text
    this.headers = headers
    this.onEnd = onEnd
  }
}

/** Why a response ended early. */
export interface BrokenOff {
  /** The error of `text`. */
  fault?: unknown
  /** Whether the reader took nothing for too long. */
  stalled?: boolean
}

/**
 * Sends a response piece by piece. If `text` fails, the connection is destroyed, so that the caller notices that the
 * response is incomplete.
 * @param options.gzip whether to compress; buffers of a few kilobytes, so that a slow reader also slows down `text`
 * @returns neither field if the caller has received everything, or has disconnected
 */
export async function sendStreamed(
  response: ServerResponse,
  { text, headers, onEnd }: StreamedReply,
  given: OutgoingHttpHeaders,
  { stalledAfterMs = stalledMs, gzip = false }: { stalledAfterMs?: number; gzip?: boolean } = {},
): Promise<BrokenOff> {
  const broken: BrokenOff = {}
  const pieces = async function* () {
    try {
      yield* text
    } catch (error) {
      // A reader that disconnects makes the text throw, too.
      if (!response.destroyed) broken.fault = error
      throw error
    }
  }
  // Node's socket timeout notices progress within a piece, and is reset by the next request on the connection.
  response.setTimeout(stalledAfterMs, () => {
    if (response.writableLength === 0) return
    broken.stalled = true
    response.destroy()
  })
  try {
    response.writeHead(200, { ...given, ...headers, ...(gzip && { 'content-encoding': 'gzip' }) })
    // Node discards a body for HEAD without ever telling the text to wait.
    if (response.req.method === 'HEAD') response.end()
    else {
      const source = Readable.from(pieces(), { objectMode: false, highWaterMark: 1 })
      await (gzip ? pipeline(source, createGzip(), response) : pipeline(source, response)).catch(() => {})
    }
  } finally {
    onEnd()
  }
  return broken
}
