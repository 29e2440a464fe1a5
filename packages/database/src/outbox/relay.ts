import { wakeSubject } from '@notify/contracts'
import { type Bus, publish } from '@notify/messaging'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Queries } from '../open.ts'
import { claimUnpublished, markPublished, type UnpublishedMessage } from './outbox-store.ts'
import { createStreamWatch } from './watch-stream.ts'

const batchSize = 64
const pollMs = 200
/** A busy committer wakes the relay this often; an idle one at once. */
const wakeEveryMs = 40
const keptDays = 7
const deletionBatch = 1000

interface OutboxRelayOptions {
  /** Copies of the stream that NATS keeps, in case it has to be made anew. */
  streamReplicas: number
  /** How far back messages are published again after JetStream has begun anew, in milliseconds. */
  republishMs: number
  /**
   * Beginning of subjects, `dispatch.send.`, whose messages are not published again when JetStream has forgotten them: stale
   * by then, and found in the service's own tables.
   */
  staleSubjects?: string
}

/**
 * Tells the relay, wherever it runs, that there is work. Best effort and coalesced: the relay also looks by itself.
 */
export function createOutboxWaker({ service }: Pick<Kit, 'service'>, bus: Bus): () => void {
  let quiet = true
  let again = false
  const wake = () => {
    if (!bus.connection.isClosed()) bus.connection.publish(wakeSubject(service))
    quiet = false
    setTimeout(() => {
      quiet = true
      if (again) wake()
      again = false
    }, wakeEveryMs).unref()
  }
  return () => {
    if (quiet) wake()
    else again = true
  }
}

/**
 * Publishes what transactions have left in the outbox: claims rows that nobody else holds, publishes them side by side with
 * the row's id as message id, and marks those that JetStream confirmed. A crash in between publishes them again under the
 * same id. Watches the stream for memory loss first. Registers its end.
 */
export function startOutboxRelay(kit: Kit, db: Queries, bus: Bus, options: OutboxRelayOptions): void {
  const published = kit.metrics.counter('outbox_published_total', 'Messages handed to JetStream')
  const watch = createStreamWatch(kit, db, bus, options)
  const relay = startPeriodic(kit, {
    name: 'outbox relay',
    everyMs: pollMs,
    async run() {
      await watch.ensureChecked()
      const { claimed, confirmed } = await relayOnce(db, bus)
      if (confirmed > 0) published({}, confirmed)
      if (confirmed < claimed)
        throw new Error(`JetStream did not confirm ${claimed - confirmed} of ${claimed} messages`)
      return claimed === batchSize
    },
  })
  const wakes = bus.connection.subscribe(wakeSubject(kit.service), { callback: () => relay.wake() })
  kit.lifecycle.onStop('outbox wake', () => wakes.unsubscribe())
  startPeriodic(kit, { name: 'outbox retention', everyMs: 60_000, run: () => deletePublished(db) })
  kit.metrics.gauge('outbox_oldest_unpublished_seconds', 'Age of the oldest message not yet published', async () => {
    const [oldest] = await db.run<{ age: number }>(
      `select extract(epoch from now() - created_at)::float8 as age from outbox where published_at is null order by id limit 1`,
    )
    return oldest?.age ?? 0
  })
}

/** Deletes messages whose time is over; returns whether more are left. */
async function deletePublished(db: Queries): Promise<boolean> {
  const deleted = await db.runLong(
    `delete from outbox where id in (
       select id from outbox where published_at < now() - make_interval(days => ${keptDays}) limit ${deletionBatch})
     returning 1`,
  )
  return deleted.length === deletionBatch
}

/** Claims, publishes and marks one batch; the rows stay locked meanwhile, so that no other relay takes them. */
function relayOnce(db: Queries, bus: Bus): Promise<{ claimed: number; confirmed: number }> {
  return db.transaction(async (run) => {
    const rows = await claimUnpublished(run, batchSize)
    const confirmed = rows.length === 0 ? [] : await publishAll(bus, rows)
    if (confirmed.length > 0) await markPublished(run, confirmed)
    return { claimed: rows.length, confirmed: confirmed.length }
  })
}

async function publishAll(bus: Bus, rows: readonly UnpublishedMessage[]): Promise<{ id: string; seq: number }[]> {
  const results = await Promise.allSettled(
    rows.map(async (row) => {
      // JetStream's duplicate window would drop what is published anew after a loss, so that bears another id.
      const publicationId = row.publications === 0 ? row.id : `${row.id}:${row.publications}`
      return { id: row.id, seq: await publish(bus, row, publicationId) }
    }),
  )
  return results.filter((result) => result.status === 'fulfilled').map((result) => result.value)
}
