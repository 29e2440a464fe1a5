import { JetStreamApiCodes, type StreamState } from '@nats-io/jetstream'
import { streams } from '@notify/contracts'
import { type Bus, isCode, provisionStream } from '@notify/messaging'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Queries, Run } from '../open.ts'
import { makeUpLoss, noteLoss } from './make-up-loss.ts'

const checkEveryMs = 5000
const makeUpEveryMs = 200
/** Time decides too which messages may be lost: a kill loses at most what was not yet synced. */
const unsyncedMs = 5 * 60_000

export interface StreamWatch {
  /** Returns once the stream was compared with what was published to it since the last (re)connection. */
  ensureChecked(): Promise<void>
}

interface StreamWatchOptions {
  streamReplicas: number
  /** Beginning of the subjects that are not published again: of work that the service finds by itself. */
  staleSubjects?: string | undefined
}

/**
 * Notices when JetStream has forgotten: the stream's sequence went back, as it does when it was made anew. Then what may be
 * lost becomes unpublished again, page by page beside what is new, and the relay publishes it under new ids; consumers know
 * the events by their own ids.
 */
export function createStreamWatch(
  kit: Kit,
  db: Queries,
  bus: Bus,
  { streamReplicas, staleSubjects }: StreamWatchOptions,
): StreamWatch {
  const { name: stream } = streams[kit.service]
  let checked = false
  const check = async () => {
    const lost = await noticeLoss(kit, db, bus, streamReplicas)
    if (lost) kit.log.error({ stream }, 'JetStream has forgotten messages: they are published again')
    checked = true
  }
  void (async () => {
    for await (const status of bus.connection.status()) {
      if (status.type === 'disconnect' || status.type === 'reconnect') checked = false
    }
  })()
  startPeriodic(kit, { name: 'stream watch', everyMs: checkEveryMs, run: check })
  startPeriodic(kit, {
    name: 'stream loss',
    everyMs: makeUpEveryMs,
    async run() {
      const { more, republished } = await makeUpLoss(db, stream, staleSubjects)
      if (republished !== undefined)
        kit.log.warn({ stream, messages: republished }, 'a loss of messages is made up for')
      return more
    },
  })
  return {
    async ensureChecked() {
      if (!checked) await check()
    },
  }
}

async function noticeLoss(kit: Kit, db: Queries, bus: Bus, replicas: number): Promise<boolean> {
  const { name } = streams[kit.service]
  return db.transaction(async (run) => {
    // One replica after the other, and each asks first what has to be there, then what is: or a message that is published
    // in between would look like a loss.
    const known = await knownSequence(run, name)
    const { last_seq } = await streamState(kit, bus, replicas)
    await run(`update stream_watermark set last_seq = $2, checked_at = now() where stream = $1`, [name, last_seq])
    // The stream's time of creation tells nothing: nats-server 2.9 changes it at restarts. The relay publishes only after
    // this check, so a stream made anew still has a lower sequence.
    if (BigInt(last_seq) >= known.last_seq) return false
    // Sequences are given out again after a loss, so they alone do not tell.
    await noteLoss(run, name, { last_seq, published_after: new Date(known.checked_at.getTime() - unsyncedMs) })
    return true
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
