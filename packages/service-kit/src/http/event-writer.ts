import type { ServerResponse } from 'node:http'
import type { StreamContract, StreamEvent } from '@notify/contracts'
import { type EncodedEvent, encodeEvent } from './encoded-event.ts'
import type { OpenStream } from './open-stream.ts'

/** Writes an event stream; the first write sends the response header. Does nothing once the reader has disconnected. */
export class EventWriter<S extends StreamContract> {
  readonly #response: ServerResponse
  readonly #maxBufferedBytes: number
  #start: (() => OpenStream) | undefined
  #stream: OpenStream | undefined
  #heartbeat: (() => void) | undefined
  #isOver = false

  /** @param start sends the response header */
  constructor(response: ServerResponse, start: () => OpenStream, maxBufferedBytes: number) {
    this.#response = response
    this.#start = start
    this.#maxBufferedBytes = maxBufferedBytes
  }

  /** Whether the connection is closed. */
  get isClosed(): boolean {
    return this.#response.destroyed
  }

  /** Bytes that the reader's connection has not taken yet. */
  get bufferedBytes(): number {
    return this.#stream?.bufferedBytes ?? 0
  }

  /** Calls back when either side closes the connection; at once if it is already closed. */
  onClose(tell: () => void): void {
    if (this.#response.destroyed) tell()
    else this.#response.on('close', tell)
  }

  /** Sends the response header now; afterwards no problem can be returned. */
  open(): void {
    this.#opened()
  }

  /** Sends one event. Closes a reader with too much unread data. @throws TypeError for an id with line breaks */
  send(event: StreamEvent<S>): void {
    this.sendEncoded(encodeEvent(event))
  }

  /** Sends an event that several streams share. */
  sendEncoded(event: EncodedEvent): void {
    const stream = this.#opened()
    stream?.writeEvent(event)
    if (stream && stream.bufferedBytes > this.#maxBufferedBytes) stream.destroy('slow')
  }

  /** Replaces the heartbeat comment, which is sent after 15 s without a write; called every 15 s. */
  onHeartbeat(send: () => void): void {
    this.#heartbeat = send
    this.#stream?.onBeat(send)
  }

  /** Ends the stream; one that is not open yet ends when it opens. */
  end(): void {
    this.#isOver = true
    this.#stream?.end('service')
  }

  #opened(): OpenStream | undefined {
    if (this.#stream || !this.#start || this.#response.destroyed) return this.#stream
    this.#stream = this.#start()
    // Drops the function with the headers, which were sent.
    this.#start = undefined
    if (this.#heartbeat) this.#stream.onBeat(this.#heartbeat)
    if (this.#isOver) this.#stream.end('service')
    return this.#stream
  }
}
