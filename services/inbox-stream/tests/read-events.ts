import { expect } from '@jest/globals'
import { eventually, type TestEnv } from '@notify/dev-env'

export interface ReceivedEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: any
}

/** A stream that is being read. */
export interface EventReader {
  headers: Headers
  /** Everything but heartbeats and comments. */
  events: ReceivedEvent[]
  text(): string
  isOver(): boolean
  /** Waits until so many events of this name have come. */
  until(event: string, count?: number): Promise<ReceivedEvent[]>
  untilEnd(): Promise<void>
  close(): void
}

interface Options {
  lastEventId?: string | number
  headers?: Record<string, string>
  /** Base URL of another process than the gateway. */
  base?: string
}

/** Opens a user's stream and reads what comes. */
export async function readEvents(env: TestEnv, token: string, options: Options = {}): Promise<EventReader> {
  const { lastEventId, headers = {}, base = env.stack.url('gateway') } = options
  const closing = new AbortController()
  const response = await fetch(`${base}/api/v1/in-app/stream`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
      ...headers,
    },
    signal: closing.signal,
  })
  if (response.status !== 200) throw new Error(`the stream answered ${response.status}: ${await response.text()}`)
  const events: ReceivedEvent[] = []
  let text = ''
  let isOver = false
  const read = async () => {
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      rest += chunk
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parse(block)
        if (event.event !== '' && event.event !== 'heartbeat') events.push(event)
      }
    }
  }
  read()
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  const named = (name: string) => events.filter(({ event }) => event === name)
  const reader: EventReader = {
    headers: response.headers,
    events,
    text: () => text,
    isOver: () => isOver,
    until: (event, count = 1) =>
      eventually(() => {
        expect(named(event).length).toBeGreaterThanOrEqual(count)
        return named(event)
      }),
    untilEnd: () => eventually(() => expect(isOver).toBe(true)),
    close: () => closing.abort(),
  }
  await reader.until('connection.ready')
  return reader
}

function parse(block: string): ReceivedEvent {
  const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
  const data = fields.get('data')
  return { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: data && JSON.parse(data) }
}
