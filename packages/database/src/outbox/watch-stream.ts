import { JetStreamApiCodes, type StreamState } from '@nats-io/jetstream'
import { streams } from '@notify/contracts'
import { type Bus, isCode, provisionStream } from '@notify/messaging'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Queries, Run } from '../open.ts'

const checkEveryMs = 5000

export interface StreamWatch {
  /** Returns once the stream was compared with what was published to it since the last (re)connection. */
  ensureChecked(): Promise<void>
}

/**
 * Notices when JetStream has forgotten: the stream's sequence went back, as it does when it was made anew. Then what may be
 * lost becomes unpublished again and the relay publishes it under new ids; consumers know the events by their own ids.
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
  return db.transaction(async (run) => {
    // One replica after the other, and each asks first what has to be there, then what is: or a message that is published
    // in between would look like a loss.
    const known = await knownSequence(run, name)
    const { last_seq } = await streamState(kit, bus, replicas)
    await run(`update stream_watermark set last_seq = $2, checked_at = now() where stream = $1`, [name, last_seq])
    // The stream's time of creation tells nothing: nats-server 2.9 changes it at restarts. The relay publishes only after
    // this check, so a stream made anew still has a lower sequence.
    if (BigInt(last_seq) >= known.last_seq) return 0
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

interface Known {
  last_seq: bigint
  checked_at: Date
}

/** How far the stream had come: at the last check, and by what was published since. */
async function knownSequence(run: Run, stream: string): Promise<Known> {
  await run(
    `insert into stream_watermark (stream, last_seq, checked_at) values ($1, 0, now()) on conflict (stream) do nothing`,
    [stream],
  )
  const [watermark] = await run<Known>(
    `select last_seq, checked_at from stream_watermark where stream = $1 for update`,
    [stream],
  )
  const { last_seq, checked_at } = watermark!
  // A batch bears the time of its beginning, which may lie a little before the check.
  const [published] = await run<{ last_seq: bigint | null }>(
    `select max(published_seq) as last_seq from outbox where published_at > $1::timestamptz - interval '10 seconds'`,
    [checked_at],
  )
  const since = published?.last_seq ?? 0n
  return { checked_at, last_seq: since > last_seq ? since : last_seq }
}

async function streamState({ service }: Kit, bus: Bus, replicas: number): Promise<StreamState> {
  const info = await bus.jsm.streams.info(streams[service].name).catch((error: unknown) => {
    if (isCode(error, JetStreamApiCodes.StreamNotFound)) return provisionStream(bus, service, replicas)
    throw error
  })
  return info.state
}
