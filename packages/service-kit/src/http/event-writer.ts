import type { ServerResponse } from 'node:http'
import type { StreamContract, StreamEvent } from '@notify/contracts'
import type { OpenStream } from './open-stream.ts'

/** What the handler of a stream writes to; the first write sends the header of the answer. */
export interface EventWriter<S extends StreamContract> {
  /** Sends the header of the answer now; after it no problem can be answered. */
  open(): void
  /** Sends one event. A reader that has more unread than the limit is closed. @throws TypeError for an id with line breaks */
  send(event: StreamEvent<S>): void
  /** Replaces the comment that is sent after 15 s without a write. */
  onHeartbeat(send: () => void): void
  /** Ends the stream. */
  end(): void
  /** Aborts when either side has closed the connection. */
  readonly closed: AbortSignal
  /** Bytes that the reader's connection has not taken yet. */
  readonly bufferedBytes: number
}

/** A writer over a stream that is opened by its first use; once the reader has gone it does nothing. */
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

/** An event as it is written (WHATWG HTML, 9.2.5): JSON has no line breaks, so `data` takes one line. */
function textOf({ event, data, id }: { event: string; data: unknown; id?: string | number }): string {
  const head = id === undefined ? '' : `id: ${id}\n`
  // A reader would take the rest for fields, and ignores an id with NUL.
  if (/[\r\n\0]/.test(event) || (typeof id === 'string' && /[\r\n\0]/.test(id))) {
    throw new TypeError('the name and the id of an event have neither line breaks nor NUL')
  }
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
