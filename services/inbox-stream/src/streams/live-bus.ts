import { type InboxAddress, liveSubject } from '@notify/contracts'
import type { Bus } from '@notify/messaging'
import { coalesce, type Kit } from '@notify/service-kit'
import type { InboxEvent } from './inbox-event.ts'
import { preferencesSignal, readLiveMessage, writeLiveMessage, writePreferencesSignal } from './live-message.ts'

/** NATS accepts 1 MiB; an event has at most a third of it. */
const maxMessage = 400_000
/** The most bytes of an event without its content. */
const lineBytes = 300
const flushMs = 1000

export interface AddressedEvent extends InboxEvent, InboxAddress {}

export interface LiveHearer {
  onEvents(events: InboxEvent[]): void
  onPreferences(): void
}

/** Sends committed events to other replicas at once. Lost ones are read from Postgres. */
export interface LiveBus {
  /** Publishes events in the order of their sequences. Never throws, because it runs after the commit. */
  publish(events: readonly AddressedEvent[]): void
  /** Tells every replica that the preferences of a user have changed. @throws Error when the connection is closed */
  publishPreferences(address: InboxAddress): void
  /** @returns a function that unsubscribes */
  listen(address: InboxAddress, hearer: LiveHearer): () => void
  /** Waits until the server knows all listeners, or cannot be asked: a stream then reads the events that it missed. */
  ready(): Promise<void>
  /** Called when the connection was lost and is restored. */
  onGap(tell: () => void): void
}

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
        log.warn({ err: error }, 'open streams did not receive an event and will read it from Postgres')
      }
    },
    publishPreferences(address) {
      connection.publish(liveSubject(address), writePreferencesSignal())
    },
    listen(address, { onEvents, onPreferences }) {
      const subscription = connection.subscribe(liveSubject(address), {
        callback: (error, message) => {
          if (error) return
          try {
            const heard = readLiveMessage(message.data)
            if (heard === preferencesSignal) onPreferences()
            else onEvents(heard)
          } catch (cause) {
            log.warn({ err: cause }, 'an event could not be sent to open streams, which will read it from Postgres')
          }
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
  let part: InboxEvent[] = []
  let size = 0
  const send = () => connection.publish(subject, writeLiveMessage(part))
  for (const event of events) {
    const bytes = lineBytes + (event.content?.length ?? 0)
    if (part.length > 0 && size + bytes > maxMessage) {
      send()
      part = []
      size = 0
    }
    part.push(event)
    size += bytes
  }
  send()
}
