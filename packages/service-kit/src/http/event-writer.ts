import type { ServerResponse } from 'node:http'
import type { StreamContract, StreamEvent } from '@notify/contracts'
import { type EncodedEvent, encodeEvent } from './encoded-event.ts'
import type { OpenStream } from './open-stream.ts'

/** Writes an event stream; the first write sends the response header. */
export interface EventWriter<S extends StreamContract> {
  /** Sends the response header now; afterwards no problem can be returned. */
  open(): void
  /** Sends one event. Closes a reader with too much unread data. @throws TypeError for an id with line breaks */
  send(event: StreamEvent<S>): void
  /** Sends an event that several streams share. */
  sendEncoded(event: EncodedEvent): void
  /** Replaces the heartbeat comment sent after 15 s without a write. */
  onHeartbeat(send: () => void): void
  /** Ends the stream. */
  end(): void
  /** Aborts when either side has closed the connection. */
  readonly closed: AbortSignal
  /** Bytes that the reader's connection has not taken yet. */
  readonly bufferedBytes: number
}

/** A writer that opens its stream on first use; it does nothing once the reader has disconnected. */
export function createEventWriter<S extends StreamContract>(
  response: ServerResponse,
  open: () => OpenStream,
  maxBufferedBytes: number,
): EventWriter<S> {
  const closing = new AbortController()
  response.once('close', () => closing.abort())
  let opened: OpenStream | undefined
  let heartbeat: (() => void) | undefined
  const stream = () => {
    if (opened || response.destroyed) return opened
    opened = open()
    if (heartbeat) opened.onBeat(heartbeat)
    return opened
  }
  const sendEncoded = (event: EncodedEvent) => {
    const target = stream()
    target?.writeEvent(event)
    if (target && target.bufferedBytes > maxBufferedBytes) target.destroy('slow')
  }
  return {
    open: () => void stream(),
    send: (event) => sendEncoded(encodeEvent(event)),
    sendEncoded,
    onHeartbeat(send) {
      heartbeat = send
      opened?.onBeat(send)
    },
    end: () => stream()?.end('service'),
    closed: closing.signal,
    get bufferedBytes() {
      return opened?.bufferedBytes ?? 0
    },
  }
}
