import type { ServerResponse } from 'node:http'
import type { StreamContract, StreamEvent } from '@notify/contracts'
import type { OpenStream } from './open-stream.ts'

/** Writes an event stream; the first write sends the response header. */
export interface EventWriter<S extends StreamContract> {
  /** Sends the response header now; afterwards no problem can be returned. */
  open(): void
  /** Sends one event. Closes a reader with too much unread data. @throws TypeError for an id with line breaks */
  send(event: StreamEvent<S>): void
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
  return {
    open: () => void stream(),
    send(event) {
      const text = textOf(event)
      const target = stream()
      target?.write(text)
      if (target && target.bufferedBytes > maxBufferedBytes) target.destroy('slow')
    },
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

/** Serialises an event (WHATWG HTML, 9.2.5). JSON contains no line breaks, so `data` fits on one line. */
function textOf({ event, data, id }: { event: string; data: unknown; id?: string | number }): string {
  const head = id === undefined ? '' : `id: ${id}\n`
  // A reader would parse the rest as fields, and ignores an id with NUL.
  if (/[\r\n\0]/.test(event) || (typeof id === 'string' && /[\r\n\0]/.test(id))) {
    throw new TypeError('the name and id of an event must not contain line breaks or NUL')
  }
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
