import { JetStreamApiCodes } from '@nats-io/jetstream'
import { streams } from '@notify/contracts'
import { type Bus, isCode, provisionStream } from '@notify/messaging'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Queries } from '../open.ts'

const checkEveryMs = 5000

export interface StreamWatch {
  /** Returns once the stream was compared with what was published to it since the last (re)connection. */
  ensureChecked(): Promise<void>
}

/**
 * Notices when JetStream has forgotten: the stream was made anew, or its sequence went back. Then what may be lost becomes
 * unpublished again and the relay publishes it with new message ids; consumers know the events by their own ids.
 */
export function createStreamWatch(kit: Kit, db: Queries, bus: Bus, replicas: number): StreamWatch {
  let checked = false
  const check = async () => {
    const count = await republishForgotten(kit, db, bus, replicas)
    if (count > 0) kit.log.error({ events: count }, 'JetStream has forgotten events: they are published again')
    checked = true
  }
  void (async () => {
    for await (const status of bus.connection.status()) {
      if (status.type === 'disconnect' || status.type === 'reconnect') checked = false
    }
  })()
  startPeriodic(kit, { name: 'stream watch', everyMs: checkEveryMs, run: check })
  return {
    async ensureChecked() {
      if (!checked) await check()
    },
  }
}

async function republishForgotten(kit: Kit, db: Queries, bus: Bus, replicas: number): Promise<number> {
  const { name } = streams[kit.service]
  const info = await bus.jsm.streams.info(name).catch((error: unknown) => {
    if (isCode(error, JetStreamApiCodes.StreamNotFound)) return provisionStream(bus, kit.service, replicas)
    throw error
  })
  return db.transaction(async (run) => {
    const [known] = await run<{ forgot: boolean; recreated: boolean; checked_at: Date }>(
      `select created <> $2 or last_seq > $3 as forgot, created <> $2 as recreated, checked_at
       from stream_watermark where stream = $1 for update`,
      [name, info.created, info.state.last_seq],
    )
    await run(
      `insert into stream_watermark (stream, created, last_seq, checked_at) values ($1, $2, $3, now())
       on conflict (stream) do update set created = $2, last_seq = $3, checked_at = now()`,
      [name, info.created, info.state.last_seq],
    )
    if (!known?.forgot) return 0
    // Sequences are given out again after a loss, so time decides too: a kill loses at most what was not yet synced.
    const [lost] = await run<{ count: number }>(
      `with lost as (
         update outbox set published_at = null, published_seq = null
         where published_at is not null
           and ($1 or published_seq > $2 or published_at > $3::timestamptz - interval '5 minutes')
         returning 1)
       select count(*)::int as count from lost`,
      [known.recreated, info.state.last_seq, known.checked_at],
    )
    return lost?.count ?? 0
  })
}
