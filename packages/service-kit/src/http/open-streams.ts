import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Kit } from '../kit.ts'
import { Problem } from '../problem.ts'
import { OpenStream } from './open-stream.ts'

export interface StreamLimits {
  /** Memory that all streams of the process may take, in bytes, each counted as `bytesEach` and what it has buffered. */
  maxBytes: number
  bytesEach: number
  /** A reader with more unread than this is closed. */
  maxBufferedBytes: number
  /** A reader that takes nothing of what is buffered for so long is closed. */
  stalledMs: number
  /** After so long without a write a heartbeat is sent. */
  beatMs: number
  /** How often buffers, readers and heartbeats are looked at. */
  sweepMs: number
}

export const streamLimits: StreamLimits = {
  maxBytes: 512 * 1024 * 1024,
  // Measured at the gateway: 37 KiB for the connections of both sides.
  bytesEach: 48 * 1024,
  maxBufferedBytes: 1024 * 1024,
  stalledMs: 30_000,
  beatMs: 15_000,
  sweepMs: 1000,
}

/** Readers come back spread over this time, in milliseconds, so that a deployment is no rush. */
const retryMs = { least: 1000, most: 10_000 }

/** The event streams that a process has open: counted, looked after and drained together. */
export class OpenStreams {
  readonly limits: StreamLimits
  readonly #streams = new Set<OpenStream>()
  readonly #timer: NodeJS.Timeout
  readonly #closed: (attributes: { reason: string }) => void
  #onCount: (count: number) => void = () => {}
  #isDraining = false
  #buffered = 0

  constructor({ metrics }: Pick<Kit, 'metrics'>, limits: StreamLimits = streamLimits) {
    this.limits = limits
    this.#closed = metrics.counter('http_server_streams_closed_total', 'Event streams that ended, by reason')
    metrics.gauge('http_server_open_streams', 'Event streams that are open', () => this.#streams.size)
    metrics.gauge('http_server_stream_buffered_bytes', 'Bytes of event streams that readers have not taken', () =>
      this.#measure(),
    )
    this.#timer = setInterval(() => this.#sweep(), limits.sweepMs).unref()
  }

  /** Told how many streams are open, at each change. */
  onCount(tell: (count: number) => void): void {
    this.#onCount = tell
  }

  /** @throws Problem `service_unavailable` while the process drains, or when its streams take too much memory */
  requireRoom(): void {
    const { maxBytes, bytesEach } = this.limits
    if (this.#isDraining) throw unavailable('This instance is being replaced; connect again')
    if ((this.#streams.size + 1) * bytesEach + this.#buffered <= maxBytes) return
    throw unavailable('Too many event streams are open; connect again shortly')
  }

  /** Begins the answer. @throws Problem as {@link requireRoom} does */
  open(response: ServerResponse, headers: OutgoingHttpHeaders = {}): OpenStream {
    this.requireRoom()
    const stream = new OpenStream(response, headers, (reason) => {
      if (!this.#streams.delete(stream)) return
      this.#closed({ reason })
      this.#onCount(this.#streams.size)
    })
    this.#streams.add(stream)
    this.#onCount(this.#streams.size)
    return stream
  }

  /** Ends all streams at once, telling their readers when to come back, and refuses new ones. */
  drain(): void {
    this.#isDraining = true
    clearInterval(this.#timer)
    for (const stream of this.#streams) stream.drain(spread())
  }

  #sweep(): void {
    const { stalledMs, beatMs } = this.limits
    const nowMs = performance.now()
    for (const stream of this.#streams) {
      if (stream.isStalled(stalledMs, nowMs)) stream.destroy('stalled')
      else if (nowMs - stream.lastWriteMs >= beatMs) stream.beat()
    }
    this.#measure()
  }

  #measure(): number {
    this.#buffered = 0
    for (const { bufferedBytes } of this.#streams) this.#buffered += bufferedBytes
    return this.#buffered
  }
}

const spread = () => retryMs.least + Math.floor(Math.random() * (retryMs.most - retryMs.least))

function unavailable(detail: string): Problem {
  return new Problem('service_unavailable', detail, {
    headers: { 'Retry-After': String(Math.ceil(spread() / 1000)) },
  })
}
