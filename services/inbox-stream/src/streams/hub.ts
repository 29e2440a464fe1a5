import type { InboxAddress, UserPrincipal } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { coalesce, type Kit, Problem, startPeriodic } from '@notify/service-kit'
import { listRevoked } from '../applications/application-store.ts'
import type { Config } from '../config.ts'
import type { InboxMetrics } from '../metrics.ts'
import { Audience, type Listener, type Supply } from './audience.ts'
import { type Head, readEvents, readHeads } from './event-store.ts'
import { encodeInboxEvent } from './inbox-event.ts'
import type { LiveBus } from './live-bus.ts'
import { type InboxWriter, Reader } from './reader.ts'
import { createReplays } from './replays.ts'
import { createStreamCounts } from './stream-counts.ts'

/** How often expired tokens and revoked applications are checked. */
const sweepMs = 1000
/** How often streams are compared with Postgres: an event lost on the bus is found by the next one, or by this. */
const compareMs = 5000
const headsBatch = 1000
/** After a gap of the bus, users read their preferences again within this time, and not all at once. */
const spreadMs = 2000

/** The open streams of this process, by user. */
export interface Hub {
  /**
   * Adds a stream that receives events from now on and sends them once it is started.
   * @throws Problem `rate_limited` when this replica alone holds enough
   */
  join(address: InboxAddress, principal: UserPrincipal, writer: InboxWriter): Listener
  /** Counts the user's streams at all replicas. @throws Problem `rate_limited` when this one exceeds the limit */
  requireRoom(address: InboxAddress, listener: Listener): Promise<void>
  leave(address: InboxAddress, listener: Listener): void
  /** The position of an inbox; every event after it is received live. */
  headOf(inboxKey: string): Promise<Omit<Head, 'key'>>
}

interface HubContext {
  config: Config
  db: Queries
  secrets: { keyRing: KeyRing }
  metrics: InboxMetrics
  live: LiveBus
}

export function createHub(kit: Kit, { config, db, secrets, metrics, live }: HubContext): Hub {
  const audiences = new Map<string, Audience>()
  const supply: Supply = {
    live,
    read: createReplays((inboxKey, seq) => readEvents(db, inboxKey, seq)),
    encode({ tenant_id }, event) {
      try {
        return encodeInboxEvent(secrets.keyRing, tenant_id, event)
      } catch (error) {
        const { item_id } = event
        kit.log.error(
          { err: error, tenant_id, item_id },
          'a notification cannot be decrypted; streams report it as deleted',
        )
        return encodeInboxEvent(secrets.keyRing, tenant_id, { ...event, content: null })
      }
    },
    onGap: metrics.gap,
    onFailure: (error) => kit.log.warn({ err: error }, 'the events of a stream could not be read; they are read again'),
  }
  const headOf = coalesce<string, Omit<Head, 'key'>>({
    maxBatch: headsBatch,
    maxInFlight: 2,
    async run(keys) {
      const heads = new Map((await readHeads(db, [...new Set(keys)])).map((head) => [head.key, head]))
      return keys.map((key) => heads.get(key)!)
    },
  })
  const audienceOf = (address: InboxAddress) => {
    const { inbox_key: key } = address
    const known = audiences.get(key)
    if (known) return known
    const made = new Audience(address, supply)
    audiences.set(key, made)
    return made
  }
  const compare = async () => {
    const all = [...audiences]
    for (let from = 0; from < all.length; from += headsBatch) {
      const sent = new Map(all.slice(from, from + headsBatch).map(([key, audience]) => [key, audience.sent]))
      for (const { key, last_seq } of await readHeads(db, [...sent.keys()])) {
        // Erased, or restored from a backup: what follows would be taken for known events.
        const wentBack = sent.get(key)! > last_seq
        for (const { reader } of audiences.get(key)?.listeners ?? []) {
          if (wentBack && reader.sent > last_seq) reader.end()
          else if (reader.isLevel) reader.reach(last_seq)
        }
      }
    }
  }
  const sweep = async () => {
    const nowMs = Date.now()
    for (const { listeners } of audiences.values()) {
      for (const { reader, expiresAtMs } of listeners) if (expiresAtMs <= nowMs) reader.end()
    }
    if (audiences.size === 0) return
    const held = Map.groupBy(audiences.values(), ({ address }) => address.application_id)
    const revoked = await listRevoked(db, [...held.keys()])
    for (const { listeners } of revoked.flatMap((id) => held.get(id) ?? [])) {
      for (const { reader } of listeners) reader.end()
    }
  }
  const comparison = startPeriodic(kit, { name: 'stream comparison', everyMs: compareMs, run: compare })
  startPeriodic(kit, { name: 'stream sweep', everyMs: sweepMs, run: sweep })
  live.onGap(() => {
    comparison.wake()
    // A lost change of preferences has no sequence by which it would be missed.
    for (const audience of audiences.values()) audience.signalPreferences(Math.random() * spreadMs)
  })
  const counts = createStreamCounts(kit, db, {
    keys: () => audiences.keys(),
    countOf: (inboxKey) => audiences.get(inboxKey)?.listeners.size ?? 0,
  })
  return {
    headOf,
    join(address, { expires_at_ms: expiresAtMs }, writer) {
      const audience = audienceOf(address)
      if (audience.listeners.size >= config.STREAMS_PER_USER) throw tooManyStreams(config.STREAMS_PER_USER)
      const listener = { reader: new Reader(writer, audience), expiresAtMs }
      audience.listeners.add(listener)
      return listener
    },
    async requireRoom({ inbox_key }, listener) {
      const elsewhere = await counts.opened(inbox_key)
      const { listeners } = audiences.get(inbox_key) ?? {}
      if (!listeners || elsewhere + listeners.size <= config.STREAMS_PER_USER) return
      // When several come at the same moment, the first ones stay.
      const position = [...listeners].indexOf(listener) + 1
      if (elsewhere + position > config.STREAMS_PER_USER) throw tooManyStreams(config.STREAMS_PER_USER)
    },
    leave({ inbox_key }, listener) {
      const audience = audiences.get(inbox_key)
      if (!audience?.listeners.delete(listener)) return
      counts.closed(inbox_key)
      if (audience.listeners.size > 0) return
      audiences.delete(inbox_key)
      audience.close()
    },
  }
}

function tooManyStreams(most: number): Problem {
  return new Problem('rate_limited', `This user has ${most} streams open; close one first`, {
    headers: { 'Retry-After': '10' },
  })
}
