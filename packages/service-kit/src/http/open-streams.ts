import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Kit } from '../kit.ts'
import { Problem } from '../problem.ts'
import { OpenStream, streamEnds } from './open-stream.ts'

export interface StreamLimits {
  /** Memory of all streams of the process, in bytes: `bytesEach` per stream plus buffered data. */
  maxBytes: number
  bytesEach: number
  /** A reader with more unread data is closed. */
  maxBufferedBytes: number
  /** A reader that takes none of the buffered data for this long is closed. */
  stalledMs: number
  /** The interval of heartbeats; where they are comments, the time without a write after which one is sent. */
  beatMs: number
  /** Interval of the checks of buffers, readers and heartbeats. */
  sweepMs: number
}

export const streamLimits: StreamLimits = {
  maxBytes: 512 * 1024 * 1024,
  // A stream takes 37 KiB at the gateway, measured for both of its connections.
  bytesEach: 48 * 1024,
  maxBufferedBytes: 1024 * 1024,
  stalledMs: 30_000,
  beatMs: 15_000,
  sweepMs: 1000,
}

/** Readers reconnect at random within this range, in milliseconds, so that a deployment causes no rush. */
const retryMs = { least: 1000, most: 10_000 }

/** The streams of one tenant. */
interface Share {
  streams: Set<OpenStream>
  /** Bytes that their readers have not taken. */
  unread: number
}

/** The open event streams of a process. */
export class OpenStreams {
  readonly limits: StreamLimits
  readonly #streams = new Set<OpenStream>()
  readonly #ofTenant = new Map<string | undefined, Share>()
  readonly #timer: NodeJS.Timeout
  readonly #closed: (attributes: { reason: string }) => void
  #onCount: (count: number) => void = () => {}
  #isDraining = false
  #buffered = 0

  constructor({ metrics }: Pick<Kit, 'metrics'>, limits: StreamLimits = streamLimits) {
    this.limits = limits
    this.#closed = metrics.counter('http_server_streams_closed_total', 'Event streams that ended, by reason', {
      reason: streamEnds,
    })
    metrics.gauge('http_server_open_streams', 'Event streams that are open', () => this.#streams.size)
    metrics.gauge('http_server_stream_room_used_ratio', 'Share of the memory for event streams that is taken', () =>
      this.#usedRatio(),
    )
    metrics.gauge('http_server_stream_buffered_bytes', 'Bytes of event streams that readers have not taken', () =>
      this.#measure(),
    )
    this.#timer = setInterval(() => this.#sweep(), limits.sweepMs).unref()
  }

  /** Calls back with the number of open streams at each change. */
  onCount(tell: (count: number) => void): void {
    this.#onCount = tell
  }

  /**
   * @throws Problem `service_unavailable` while draining, when streams take too much memory, or when those of the tenant take
   *   more than they leave free: so there is room for tenants without streams
   */
  requireRoom(tenantId: string | undefined): void {
    const { bytesEach } = this.limits
    if (this.#isDraining) throw unavailable('This instance is being replaced; connect again')
    const free = this.#freeBytes()
    if (free < bytesEach) throw unavailable('Too many event streams are open; connect again shortly')
    const share = tenantId === undefined ? undefined : this.#ofTenant.get(tenantId)
    if (!share || share.streams.size * bytesEach + share.unread <= free) return
    throw unavailable('This tenant has too many event streams open; connect again shortly')
  }

  /** Starts the response. @throws Problem as {@link requireRoom} does */
  open(response: ServerResponse, headers: OutgoingHttpHeaders, tenantId: string | undefined): OpenStream {
    this.requireRoom(tenantId)
    const share = this.#ofTenant.get(tenantId) ?? { streams: new Set(), unread: 0 }
    const stream = new OpenStream(response, headers, (reason) => {
      if (!this.#streams.delete(stream)) return
      share.streams.delete(stream)
      if (share.streams.size === 0) this.#ofTenant.delete(tenantId)
      this.#onCount(this.#streams.size)
      this.#closed({ reason })
    })
    this.#streams.add(stream)
    this.#ofTenant.set(tenantId, share)
    share.streams.add(stream)
    this.#onCount(this.#streams.size)
    return stream
  }

  /** Ends all streams, sends their readers the time to reconnect, and refuses new streams. */
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
      else if (nowMs - stream.lastBeatMs >= beatMs) stream.beat()
    }
    this.#measure()
    const shares = [...this.#ofTenant.values()].filter(({ unread }) => unread > this.#freeBytes())
    for (const share of shares.sort((a, b) => b.unread - a.unread)) this.#relieve(share)
  }

  /** Closes the fullest streams of a tenant whose readers leave more unread than is free, so that others find room. */
  #relieve(share: Share): void {
    for (const stream of [...share.streams].sort((a, b) => b.bufferedBytes - a.bufferedBytes)) {
      const { bufferedBytes } = stream
      if (bufferedBytes === 0 || share.unread <= this.#freeBytes()) return
      stream.destroy('slow')
      share.unread -= bufferedBytes
      this.#buffered -= bufferedBytes
    }
  }

  #freeBytes(): number {
    const { maxBytes, bytesEach } = this.limits
    return maxBytes - this.#streams.size * bytesEach - this.#buffered
  }

  #usedRatio(): number {
    return 1 - this.#freeBytes() / this.limits.maxBytes
  }

  #measure(): number {
    this.#buffered = 0
    for (const share of this.#ofTenant.values()) {
      share.unread = 0
      for (const { bufferedBytes } of share.streams) share.unread += bufferedBytes
      this.#buffered += share.unread
    }
    return this.#buffered
  }
}

const spread = () => retryMs.least + Math.floor(Math.random() * (retryMs.most - retryMs.least))

function unavailable(detail: string): Problem {
  return new Problem('service_unavailable', detail, {
    headers: { 'Retry-After': String(Math.ceil(spread() / 1000)) },
  })
}
