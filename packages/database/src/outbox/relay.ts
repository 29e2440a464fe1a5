import { setTimeout as delay } from 'node:timers/promises'
import { wakeSubject } from '@notify/contracts'
import { type Bus, publish } from '@notify/messaging'
import { type Kit, type Logger, startPeriodic } from '@notify/service-kit'
import type { Queries } from '../open.ts'
import { claimUnpublished, type UnpublishedMessage } from './claim-unpublished.ts'
import { createOutboxSearch } from './outbox-search.ts'
import { hasUnpublished, markPublished, oldestUnpublishedSeconds } from './outbox-store.ts'
import { createOutboxRetention } from './retention.ts'
import { wakeDirectly } from './wake-outbox.ts'
import { createStreamWatch } from './watch-stream.ts'

const batchSize = 64
/** Pause between rounds, so that commits of this time share a round. An idle relay starts a round at once. */
const gatherMs = 5
/**
 * From this many messages, below a full batch, the pause after a round is twice as long: larger batches cost less per
 * message.
 */
const largeBatch = 16

interface OutboxRelayOptions {
  /** Replicas of the stream, in case it must be recreated. */
  streamReplicas: number
  /** Age up to which messages are republished after JetStream restarts, in milliseconds. */
  republishMs: number
  /** Subjects that are published before all others, however many wait. Needs an index on their unpublished messages. */
  urgentSubjects?: readonly string[]
  /** Interval of the search for messages whose wake-up was lost, in milliseconds; default 3000. */
  pollMs?: number
}

/** Registers a listener of commits with events: those of this process, and of processes of the service without a relay. */
export type OnCommit = (listener: () => void) => void

/**
 * Publishes the outbox: claims unlocked rows, publishes them concurrently with the row id as message id, and marks the
 * confirmed ones. After a crash they are published again with the same id. Checks the stream for loss first. Registers
 * its end.
 * @returns a function that registers a listener of wake-ups: any process of the service has committed something
 */
export function startOutboxRelay(kit: Kit, db: Queries, bus: Bus, options: OutboxRelayOptions): OnCommit {
  const published = kit.metrics.counter('outbox_published_total', 'Messages handed to JetStream')
  const search = createOutboxSearch(batchSize)
  const onRepublished = () => {
    search.restart()
    relay.wake()
  }
  const watch = createStreamWatch(kit, db, bus, { ...options, onRepublished })
  let isLarge = false
  const relay = startPeriodic(kit, {
    name: 'outbox relay',
    everyMs: options.pollMs ?? 3000,
    atLeastMs: gatherMs,
    async run(woken) {
      await watch.ensureChecked()
      if (!woken) {
        if (!(await hasUnpublished(db.run))) return false
        search.restart()
      }
      if (isLarge) await delay(gatherMs)
      const { ids, confirmed } = await relayOnce(kit, db, bus, { ...options, since: search.begin() })
      const claimed = ids.length
      if (confirmed > 0) published({}, confirmed)
      if (confirmed < claimed)
        throw new Error(`JetStream did not confirm ${claimed - confirmed} of ${claimed} messages`)
      search.end(ids)
      isLarge = claimed >= largeBatch && claimed < batchSize
      return claimed >= batchSize
    },
  })
  const listeners = [() => relay.stir()]
  const onWake = () => {
    for (const listener of listeners) listener()
  }
  const wakes = bus.connection.subscribe(wakeSubject(kit.service), { callback: onWake })
  const endDirect = wakeDirectly(bus, onWake)
  kit.lifecycle.onStop('outbox wake', () => {
    endDirect()
    wakes.unsubscribe()
  })
  startPeriodic(kit, { name: 'outbox retention', everyMs: 60_000, run: createOutboxRetention(db) })
  kit.metrics.gauge('outbox_oldest_unpublished_seconds', 'Age of the oldest message not yet published', () =>
    oldestUnpublishedSeconds(db.run),
  )
  return (listener) => listeners.push(listener)
}

/** Claims, publishes and marks one batch; the rows stay locked meanwhile, so that no other relay takes them. */
function relayOnce(
  { log }: Kit,
  db: Queries,
  bus: Bus,
  { since, urgentSubjects }: Pick<OutboxRelayOptions, 'urgentSubjects'> & { since: string | null },
): Promise<{ ids: string[]; confirmed: number }> {
  return db.whileLocked({
    lock: (run) => claimUnpublished(run, { limit: batchSize, since, urgent: urgentSubjects }),
    async work(rows) {
      const published = await publishAll(bus, rows)
      if (log.isLevelEnabled('debug')) logPublished(log, rows, published)
      return { ids: rows.map(({ id }) => id), confirmed: published.length, published }
    },
    mark: (run, { published }) => markPublished(run, published),
  })
}

/** A message may contain events of several traces. */
function logPublished(
  log: Logger,
  rows: readonly UnpublishedMessage[],
  confirmed: readonly { id: string; seq: number }[],
): void {
  const sequences = new Map(confirmed.map(({ id, seq }) => [id, seq]))
  for (const { id, subject, events } of rows) {
    const traces = [...events.matchAll(/"traceparent"\s*:\s*"00-([0-9a-f]{32})-/g)].map(([, trace]) => trace)
    log.debug({ subject, message_id: id, seq: sequences.get(id), trace_ids: [...new Set(traces)] }, 'published')
  }
}

async function publishAll(bus: Bus, rows: readonly UnpublishedMessage[]): Promise<{ id: string; seq: number }[]> {
  const results = await Promise.allSettled(
    rows.map(async (row) => {
      // JetStream's duplicate window would drop a republished message with its old id.
      const publicationId = row.publications === 0 ? row.id : `${row.id}:${row.publications}`
      return { id: row.id, seq: await publish(bus, row, publicationId) }
    }),
  )
  return results.filter((result) => result.status === 'fulfilled').map((result) => result.value)
}
