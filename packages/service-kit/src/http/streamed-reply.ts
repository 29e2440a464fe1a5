import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** A reader that takes nothing for this long is disconnected; one that took a part of the last piece, after twice as long. */
const stalledMs = 20_000

/** A response whose text is made while it is sent, such as an export. Return it before making anything that would be discarded. */
export class StreamedReply {
  readonly text: AsyncIterable<string>
  readonly headers: OutgoingHttpHeaders
  readonly onEnd: () => void

  /**
   * @param text asked for the next piece only when the caller has taken the last; ended when the caller leaves
   * @param onEnd called once, when the response is sent or broken off
   */
  constructor(text: AsyncIterable<string>, headers: OutgoingHttpHeaders = {}, onEnd: () => void = () => {}) {
    this.text = text
    this.headers = headers
    this.onEnd = onEnd
  }
}

/** Why a response was broken off. */
export interface BrokenOff {
  /** What the text threw. */
  fault?: unknown
  /** Whether the reader took nothing for too long. */
  stalled?: boolean
}

/**
 * Sends a response piece by piece. If the text cannot be made to its end, the connection is cut, so that the caller notices
 * that it is not whole.
 * @param options.gzip whether to compress, in buffers of a few kilobytes: a slow reader holds back the text as it does without
 * @returns neither field when the caller has everything, or has left
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
      // A reader that leaves makes the text throw as well.
      if (!response.destroyed) broken.fault = error
      throw error
    }
  }
  // Node's own timer: it sees the progress within a piece, and the next request on the connection restores it.
  response.setTimeout(stalledAfterMs, () => {
    if (response.writableLength === 0) return
    broken.stalled = true
    response.destroy()
  })
  try {
    response.writeHead(200, { ...given, ...headers, ...(gzip && { 'content-encoding': 'gzip' }) })
    const source = Readable.from(pieces(), { objectMode: false, highWaterMark: 1 })
    await (gzip ? pipeline(source, createGzip(), response) : pipeline(source, response)).catch(() => {})
  } finally {
    onEnd()
  }
  return broken
}
