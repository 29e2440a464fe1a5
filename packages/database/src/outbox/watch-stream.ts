import { JetStreamApiCodes, type StreamInfo } from '@nats-io/jetstream'
import { streams } from '@notify/contracts'
import {
  type Bus,
  hasRestarted,
  isCode,
  isReadable,
  joinOrigins,
  originOf,
  provisionStream,
  purgeStream,
  type StreamOrigin,
} from '@notify/messaging'
import { type Kit, startPeriodic } from '@notify/service-kit'
import { sql } from 'kysely'
import type { Queries, Run } from '../open.ts'
import { build } from '../shared-tables.ts'
import { noteLoss, republishLost } from './republish-lost.ts'

const checkEveryMs = 5000
/** Interval of the comparison with Postgres while the stream does not change. */
const compareEveryMs = 30_000
const repairEveryMs = 200

export interface StreamWatch {
  /** Resolves once the stream was checked since the last (re)connection. */
  ensureChecked(): Promise<void>
}

interface StreamWatchOptions {
  streamReplicas: number
  /** Messages published this long before a restart may be lost; at least twice nats-server's `sync_interval`. */
  republishMs: number
  /** Messages were marked as unpublished. */
  onRepublished?(): void
}

/**
 * Detects that JetStream may have lost messages: the stream's sequence went back, its server restarted, or its end is
 * unreadable. Affected messages become unpublished again, and the relay publishes them under new ids; events keep theirs.
 */
export function createStreamWatch(kit: Kit, db: Queries, bus: Bus, options: StreamWatchOptions): StreamWatch {
  const { name: stream } = streams[kit.service]
  const noticed = kit.metrics.counter(
    'stream_losses_total',
    'Times that a stream may have forgotten messages, by cause',
    { stream: [stream], cause: Object.keys(lossMessages) },
  )
  const republishedAgain = kit.metrics.counter('stream_republished_total', 'Messages published again after a loss', {
    stream: [stream],
  })
  let checked = false
  let mayBeLost = false
  let seen: Seen | undefined
  let compareAtMs = 0
  const check = async () => {
    const notice = () => noticeLoss(kit, db, bus, options)
    let found = await notice()
    if (found.loss === 'damage found') found = await notice()
    const { loss } = found
    if (loss && loss !== 'damage found') {
      noticed({ stream, cause: loss })
      // A restart alone is no loss; the messages are published again as a precaution.
      kit.log[loss === 'restarted' ? 'info' : 'error']({ stream, cause: loss }, lossMessages[loss])
    }
    // Another replica may have detected a loss, and died during its repair.
    mayBeLost ||= loss !== undefined || found.isRepairing
    if (mayBeLost) repair.wake()
    seen = found.seen
    compareAtMs = performance.now() + compareEveryMs
    checked = true
  }
  const look = async () => {
    const isKnown = checked && seen && performance.now() < compareAtMs
    if (!isKnown || !(await isUnchanged(kit, bus, options, seen!))) await check()
  }
  void (async () => {
    for await (const status of bus.connection.status()) {
      if (status.type === 'disconnect' || status.type === 'reconnect') checked = false
    }
  })()
  startPeriodic(kit, { name: 'stream watch', everyMs: checkEveryMs, run: look })
  const repair = startPeriodic(kit, {
    name: 'stream loss',
    everyMs: compareEveryMs,
    atLeastMs: repairEveryMs,
    async run() {
      if (!mayBeLost) return false
      const { left, republished } = await republishLost(db, stream)
      if (republished !== undefined) {
        republishedAgain({ stream }, republished)
        kit.log.info({ stream, messages: republished }, 'republished messages that the stream may have lost')
      }
      if (left !== 'nothing' || republished) options.onRepublished?.()
      mayBeLost = left !== 'nothing'
      return left === 'rows' || (mayBeLost && repairEveryMs)
    },
  })
  return {
    async ensureChecked() {
      if (!checked) await check()
    },
  }
}

/** `damaged`: its end cannot be read. `rewound`: the sequence went back. `restarted`: it did not, but the server restarted. */
type Cause = 'damaged' | 'rewound' | 'restarted'

const lossMessages: Record<Cause, string> = {
  damaged: 'JetStream cannot read its newest messages: the stream is emptied, and all messages are published again',
  rewound: 'JetStream has forgotten messages: they are published again',
  restarted: 'JetStream was restarted: what it may not have synced is published again',
}

/** The position of the stream at the last comparison. */
interface Seen {
  last_seq: number
  origin: StreamOrigin
}

interface Found {
  loss?: Cause | 'damage found'
  /** Whether the repair of an earlier loss is not finished. */
  isRepairing: boolean
  seen?: Seen
}

/** Whether nothing was published or lost since the last comparison; then Postgres is not queried. */
async function isUnchanged(kit: Kit, bus: Bus, { streamReplicas }: StreamWatchOptions, seen: Seen): Promise<boolean> {
  const info = await streamInfo(kit, bus, streamReplicas)
  if (info.state.last_seq !== seen.last_seq || hasRestarted(seen.origin, originOf(bus, info))) return false
  return isReadable(bus, info)
}

/** Compares the stream with what was published, and records what it may have lost. */
export async function noticeLoss(
  kit: Kit,
  db: Queries,
  bus: Bus,
  { streamReplicas, republishMs }: StreamWatchOptions,
): Promise<Found> {
  const { name } = streams[kit.service]
  return db.transaction(async (run) => {
    // A BRIN index is read by bitmaps alone: without them, dispatch would read its whole outbox.
    await run('set local enable_bitmapscan = on')
    // One replica at a time. Read the expected state before the actual one, or a message published in between looks
    // lost.
    const known = await knownState(run, name)
    const info = await streamInfo(kit, bus, streamReplicas)
    const { last_seq } = info.state
    const origin = originOf(bus, info)
    const watermark = build.updateTable('stream_watermark').where('stream', '=', name)
    if (!known.isDamaged && !(await isReadable(bus, info))) {
      // Committed before the purge: if the process died after the purge, nothing else would show the loss.
      await run(watermark.set({ last_seq: damaged }))
      return { loss: 'damage found', isRepairing: false }
    }
    const seen = { last_seq, checked_at: sql<Date>`now()`, origin: JSON.stringify(joinOrigins(known.origin, origin)) }
    await run(watermark.set(seen))
    // The creation time of the stream is useless: nats-server 2.9 changes it at restarts.
    const { isDamaged, isRepairing } = known
    const found = { seen: { last_seq, origin }, isRepairing }
    const isRewound = BigInt(last_seq) < known.last_seq
    if (!isDamaged && !isRewound && !(known.origin && hasRestarted(known.origin, origin))) return found
    // The server was alive at the last check, so losses were published after it or shortly before.
    const published_after = new Date(known.checked_at.getTime() - republishMs)
    // A damaged block also hides the messages that are published next, even if the server reports an empty stream.
    if (isDamaged || (isRewound && info.state.messages === 0)) await purgeStream(bus, kit.service, last_seq)
    await noteLoss(run, name, {
      last_seq: isDamaged ? 0 : last_seq,
      published_after,
      isRewound: isDamaged || isRewound,
    })
    if (isDamaged) return { ...found, loss: 'damaged' }
    return { ...found, loss: isRewound ? 'rewound' : 'restarted' }
  })
}

/** The sequence that is stored from the detection of damage until its repair. */
const damaged = -1

interface Known {
  last_seq: bigint
  isDamaged: boolean
  isRepairing: boolean
  checked_at: Date
  /** Unknown before the first check. */
  origin: StreamOrigin | null
}

/** The stream's expected position: from the last check, and from messages published since. */
async function knownState(run: Run, stream: string): Promise<Known> {
  const watermarks = build.selectFrom('stream_watermark').selectAll().where('stream', '=', stream).forUpdate()
  let [watermark] = await run(watermarks)
  if (!watermark) {
    const nothing = { stream, last_seq: 0, checked_at: sql<Date>`now()` }
    await run(
      build
        .insertInto('stream_watermark')
        .values(nothing)
        .onConflict((on) => on.doNothing()),
    )
    ;[watermark] = await run(watermarks)
  }
  const { last_seq, checked_at, origin } = watermark!
  // The timestamp of a batch is its start, which may precede the check.
  const moment = sql<Date>`${checked_at}::timestamptz - interval '10 seconds'`
  const open = build.selectFrom('stream_losses').select('stream').where('repaired_at', 'is', null)
  const [published] = await run(
    build
      .selectFrom('outbox')
      .select(({ fn, exists }) => [
        fn.max('published_seq').as('last_seq'),
        exists(open.where('stream', '=', stream)).as('is_repairing'),
      ])
      .where('published_at', '>', moment)
      // The repair of a loss publishes again what was published before it was noticed.
      .where(({ not, exists, selectFrom }) => {
        const later = selectFrom('stream_losses').whereRef('noticed_at', '>=', 'outbox.published_at')
        return not(exists(later.select('stream').where('stream', '=', stream)))
      }),
  )
  const since = published?.last_seq ?? 0n
  return {
    checked_at,
    origin,
    last_seq: since > last_seq ? since : last_seq,
    isDamaged: last_seq === BigInt(damaged),
    isRepairing: Boolean(published?.is_repairing),
  }
}

async function streamInfo({ service }: Kit, bus: Bus, replicas: number): Promise<StreamInfo> {
  return bus.jsm.streams.info(streams[service].name).catch((error: unknown) => {
    if (isCode(error, JetStreamApiCodes.StreamNotFound)) return provisionStream(bus, service, replicas)
    throw error
  })
}
