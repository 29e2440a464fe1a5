import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { StreamEvent } from './stream-event.ts'

interface Hearer {
  onEvent(event: StreamEvent): void
  /** Called with the wait before reconnecting, in milliseconds. */
  onRetry(ms: number): void
  /** Called for each piece that arrives, as proof that the connection lives. */
  onData(): void
}

/**
 * Reads events until the server ends the stream.
 * @throws Error when the stream breaks off
 */
export async function readStream(response: Response, { onEvent, onRetry, onData }: Hearer): Promise<void> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  const parser = createParser({
    onRetry,
    onEvent(message) {
      const event = eventOf(message)
      if (event) onEvent(event)
    },
  })
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onData()
    parser.feed(decoder.decode(value, { stream: true }))
  }
}

/** An event that this version knows; others are skipped. */
function eventOf({ event, id, data }: EventSourceMessage): StreamEvent | undefined {
  const isKnown = /^(notification\..*|connection\.ready|preferences\.changed|heartbeat)$/.test(event ?? '')
  return isKnown ? ({ event, id: Number(id), data: JSON.parse(data) } as StreamEvent) : undefined
}
