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
 * Notices when JetStream has forgotten: the stream's sequence went back, as it does when it was made anew. Then what may be lost becomes
 * unpublished again and the relay publishes it under new ids; consumers know the events by their own ids.
 */
export function createStreamWatch(kit: Kit, db: Queries, bus: Bus, replicas: number): StreamWatch {
  let checked = false
  const check = async () => {
    const count = await republishForgotten(kit, db, bus, replicas)
    if (count > 0) kit.log.error({ messages: count }, 'JetStream has forgotten messages: they are published again')
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
  const { last_seq } = info.state
  return db.transaction(async (run) => {
    const [known] = await run<{ last_seq: bigint; checked_at: Date }>(
      `select last_seq, checked_at from stream_watermark where stream = $1 for update`,
      [name],
    )
    await run(
      `insert into stream_watermark (stream, last_seq, checked_at) values ($1, $2, now())
       on conflict (stream) do update set last_seq = $2, checked_at = now()`,
      [name, last_seq],
    )
    // The stream's time of creation tells nothing: nats-server 2.9 changes it at restarts. The relay publishes only after
    // this check, so a stream made anew still has a lower sequence.
    if (!known || BigInt(last_seq) >= known.last_seq) return 0
    // Sequences are given out again after a loss, so time decides too: a kill loses at most what was not yet synced.
    const [lost] = await run<{ count: number }>(
      `with lost as (
         update outbox set published_at = null, published_seq = null
         where published_at is not null
           and (published_seq > $1 or published_at > $2::timestamptz - interval '5 minutes')
         returning 1)
       select count(*)::int as count from lost`,
      [last_seq, known.checked_at],
    )
    return lost?.count ?? 0
  })
}
