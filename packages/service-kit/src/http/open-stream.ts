import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { EncodedEvent } from './encoded-event.ts'
import { gather } from './gather-writes.ts'

/** Why a stream ended; `client`: the reader disconnected. */
export const streamEnds = ['client', 'service', 'upstream', 'slow', 'stalled', 'drain'] as const
export type StreamEnd = (typeof streamEnds)[number]

/** Time to read the rest of an ended stream. */
const lingerMs = 1000

const eventEnd = Buffer.from('\n\n')

/** An open event stream. */
export class OpenStream {
  readonly #response: ServerResponse
  #end: StreamEnd | undefined
  #lastWriteMs = performance.now()
  #lastBeatMs = performance.now()
  #isBetweenEvents = true
  #progress = { bytes: 0, atMs: performance.now() }
  #beat: (() => void) | undefined

  /** Sends the response header. */
  constructor(response: ServerResponse, headers: OutgoingHttpHeaders, onEnd: (end: StreamEnd) => void) {
    this.#response = response
    response.once('close', () => {
      this.#end ??= 'client'
      onEnd(this.#end)
    })
    const { socket } = response
    // A stream may be silent. A reader that has gone without a word is found when TCP gives up sending a heartbeat.
    socket?.setTimeout(0)
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      // The connection of a stream is not reused, so the drain need not wait for it.
      connection: 'close',
    })
    response.flushHeaders()
    forgetRequest(response)
  }

  /** Bytes written that the reader's connection has not taken yet. */
  get bufferedBytes(): number {
    return this.#response.writableLength
  }

  /** Since when a heartbeat is waited for: events replace the comment, but not the event that {@link onBeat} has set. */
  get lastBeatMs(): number {
    return this.#beat ? this.#lastBeatMs : this.#lastWriteMs
  }

  /** Writes one event. */
  writeEvent({ chunk, text }: EncodedEvent): void {
    const { socket, chunkedEncoding } = this.#response
    if (this.#end !== undefined || !socket || this.#response.destroyed) return
    this.#lastWriteMs = performance.now()
    gather(socket)
    // Written directly to the socket: node:http would write a chunk in four parts, which costs twice as much.
    socket.write(chunkedEncoding ? chunk : text)
  }

  /** @returns whether more may be written now; if not, wait for `onDrain` */
  write(chunk: string | Uint8Array): boolean {
    if (this.#end !== undefined || this.#response.destroyed || chunk.length === 0) return true
    this.#lastWriteMs = performance.now()
    this.#isBetweenEvents = endsEvent(chunk)
    return this.#response.write(chunk)
  }

  onDrain(resume: () => void): void {
    this.#response.on('drain', resume)
  }

  /** Replaces the heartbeat comment that is sent after a silence; called at every interval. */
  onBeat(beat: () => void): void {
    this.#beat = beat
  }

  beat(): void {
    this.#lastBeatMs = performance.now()
    if (this.#beat) this.#beat()
    else if (this.#isBetweenEvents) this.write(': keep-alive\n\n')
  }

  /** Whether the reader has taken none of the buffered data for this long. */
  isStalled(stalledMs: number, nowMs: number): boolean {
    const { socket } = this.#response
    const bytes = (socket?.bytesWritten ?? 0) - this.bufferedBytes
    if (this.bufferedBytes === 0 || bytes !== this.#progress.bytes) this.#progress = { bytes, atMs: nowMs }
    return nowMs - this.#progress.atMs > stalledMs
  }

  /**
   * Closes the connection once the reader has everything, or after a second. The response is left incomplete, because some
   * clients (fetch-event-source) never reconnect after a complete one.
   */
  end(end: StreamEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#response.socket?.end()
    const timer = setTimeout(() => this.#response.destroy(), lingerMs)
    this.#response.once('close', () => clearTimeout(timer))
  }

  /** Ends the stream and sends the reader the time to reconnect. */
  drain(retryMs: number): void {
    if (this.#isBetweenEvents) this.write(`retry: ${retryMs}\n\n`)
    this.end('drain')
  }

  /** Resets the connection, so that the reader notices the stream is incomplete. */
  destroy(end: StreamEnd): void {
    this.#end ??= end
    this.#response.destroy()
  }
}

/** Drops the headers of the request, which include the token, because a stream may be open for hours. */
function forgetRequest({ req: request }: ServerResponse): void {
  request.rawHeaders = []
  request.headers = {}
}

function endsEvent(chunk: string | Uint8Array): boolean {
  return typeof chunk === 'string' ? chunk.endsWith('\n\n') : eventEnd.equals(chunk.subarray(-eventEnd.length))
}
