import { type InboxAddress, liveSubject } from '@notify/contracts'
import type { Bus } from '@notify/messaging'
import { coalesce, type Kit } from '@notify/service-kit'
import type { InboxEvent } from './inbox-event.ts'

/** NATS takes 1 MiB; an event has at most a third of it. */
const maxMessage = 400_000
const flushMs = 1000

export interface AddressedEvent extends InboxEvent, InboxAddress {}

/** How replicas tell each other at once of what was committed. What is lost here is read from Postgres. */
export interface LiveBus {
  /** Tells events in the order of their sequences. Never throws: it is done after the commit. */
  publish(events: readonly AddressedEvent[]): void
  /** @returns a function that unsubscribes */
  listen(address: InboxAddress, hear: (events: InboxEvent[]) => void): () => void
  /** Waits until the server knows all listeners, or cannot be asked: a stream then reads what it misses. */
  ready(): Promise<void>
  /** Told when the connection was lost and is there again. */
  onGap(tell: () => void): void
}

type WireEvent = Omit<InboxEvent, 'content' | 'created_at'> & { content: string | null; created_at: string | null }

export function createLiveBus({ log }: Pick<Kit, 'log'>, { connection }: Bus): LiveBus {
  const ready = coalesce<undefined, undefined>({
    maxBatch: 10_000,
    maxInFlight: 1,
    async run(waiting) {
      await Promise.race([connection.flush().catch(() => {}), new Promise((resolve) => setTimeout(resolve, flushMs))])
      return waiting.map(() => undefined)
    },
  })
  return {
    publish(events) {
      try {
        for (const group of Map.groupBy(events, liveSubject)) publishAll(connection, group)
      } catch (error) {
        log.warn({ err: error }, 'open streams were not told of an event and will read it')
      }
    },
    listen(address, hear) {
      const subscription = connection.subscribe(liveSubject(address), {
        callback: (error, message) => {
          if (!error) hear(message.json<WireEvent[]>().map(read))
        },
      })
      return () => subscription.unsubscribe()
    },
    ready: () => ready(undefined),
    onGap(tell) {
      void (async () => {
        for await (const { type } of connection.status()) if (type === 'reconnect') tell()
      })()
    },
  }
}

function publishAll(connection: Bus['connection'], [subject, events]: [string, readonly AddressedEvent[]]): void {
  let part: string[] = []
  let size = 0
  const send = () => connection.publish(subject, `[${part.join()}]`)
  for (const event of events) {
    const text = JSON.stringify(write(event))
    if (part.length > 0 && size + text.length > maxMessage) {
      send()
      part = []
      size = 0
    }
    part.push(text)
    size += text.length
  }
  send()
}

function write({ seq, kind, item_id, unread_count, content, created_at }: InboxEvent): WireEvent {
  const time = created_at?.toISOString() ?? null
  return { seq, kind, item_id, unread_count, content: content?.toString('base64') ?? null, created_at: time }
}

function read({ content, created_at, ...event }: WireEvent): InboxEvent {
  return {
    ...event,
    content: content === null ? null : Buffer.from(content, 'base64'),
    created_at: created_at === null ? null : new Date(created_at),
  }
}
