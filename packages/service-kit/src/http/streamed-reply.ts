import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A response whose text is made while it is sent, such as an export. Must be returned before anything is made in vain. */
export class StreamedReply {
  readonly text: AsyncIterable<string>
  readonly headers: OutgoingHttpHeaders

  /** @param text asked for the next piece only when the caller has taken the last; ended when the caller leaves */
  constructor(text: AsyncIterable<string>, headers: OutgoingHttpHeaders = {}) {
    this.text = text
    this.headers = headers
  }
}

/**
 * Sends a response piece by piece. If the text cannot be made to its end, the connection is cut, so that the caller notices
 * that it is not whole.
 * @returns the fault of the text; undefined when the caller has everything, or has left
 */
export async function sendStreamed(
  response: ServerResponse,
  { text, headers }: StreamedReply,
  given: OutgoingHttpHeaders,
): Promise<unknown> {
  let fault: unknown
  const pieces = async function* () {
    try {
      yield* text
    } catch (error) {
      fault = error
      throw error
    }
  }
  response.writeHead(200, { ...given, ...headers })
  await pipeline(Readable.from(pieces(), { objectMode: false, highWaterMark: 1 }), response).catch(() => {})
  return fault
}
