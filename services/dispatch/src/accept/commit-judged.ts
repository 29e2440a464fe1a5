import { defineStatement, isConnectionError, isLockTimeout, type Run } from '@notify/database'
import { bisect, noLongerAwaited, Problem } from '@notify/service-kit'
import { optedOutRecipient } from '../catalogue/preferences/explain-opt-out.ts'
import { isOptOut } from '../catalogue/preferences/opted-out-because.ts'
import { suppressedRecipient } from '../catalogue/suppressions/explain-suppression.ts'
import type { Channels } from '../channels/channel.ts'
import type { Context } from '../context.ts'
import type { WakeSenders, WokenQueue } from '../deliver/queues/wake-senders.ts'
import { type AcceptOutcome, isForLater, kindOf, kinds, type NewNotification, refusalOf } from './accept-item.ts'
import { commitBatch, type Known, type Patience } from './commit-batch.ts'

/** Runs a statement so that its failure leaves nothing behind, and lets others follow. */
type Attempt = <T>(work: (run: Run) => Promise<T>) => Promise<T>

type Needs = Pick<Context, 'channels' | 'metrics' | 'wakeOutbox'> & { wakeSenders: WakeSenders } & WithLockWatch

export type CommitOutcome = AcceptOutcome | Known

/**
 * Commits what was judged and is still awaited; an item that Postgres refuses fails alone. When Postgres is out of reach or a
 * table stays locked, what was not committed before fails with `service_unavailable`.
 * @returns the outcomes in the order of the items
 */
export async function commitJudged(
  context: Needs,
  items: readonly NewNotification[],
  attempt: Attempt,
  patience?: Patience,
): Promise<CommitOutcome[]> {
  const commit = async (part: readonly NewNotification[]) => {
    const awaited = part.filter(({ candidate }) => candidate.isAwaited())
    const committed = await attempt((run) =>
      context.watchLocks(run, () => commitTogether(context, run, awaited, patience)),
    )
    const outcomeOf = new Map(awaited.map((item, at) => [item, committed[at]!]))
    return part.map((item) => outcomeOf.get(item) ?? noLongerAwaited())
  }
  const groups = Map.groupBy(items, (item) => kindOf(context.channels, item))
  // A statement each: if one fails, those before it stay accepted. A transaction locks rows that others wait for last.
  const pieces = kinds.flatMap((kind) => partsOf(groups.get(kind) ?? []))
  const results = await bisect(pieces, commit, isShared)
  const resultOf = new Map(pieces.flat().map((item, at) => [item, results[at]!]))
  return items.map((item) => {
    const result = resultOf.get(item)!
    return result instanceof Error ? refusalOf(result) : result
  })
}

/** Bytes of the payloads and files that one statement carries: an email may have megabytes, and batches hundreds of them. */
const maxPart = 1024 * 1024

/** Parts that a statement can carry; nearly always one. */
function partsOf(items: readonly NewNotification[]): NewNotification[][] {
  const parts: NewNotification[][] = []
  let room = 0
  for (const item of items) {
    const length = item.payload.length + (item.files?.length ?? 0)
    if (length > room) {
      parts.push([])
      room = maxPart
    }
    parts.at(-1)!.push(item)
    room -= length
  }
  return parts
}

async function commitTogether(
  context: Needs,
  run: Run,
  batch: readonly NewNotification[],
  patience: Patience | undefined,
): Promise<CommitOutcome[]> {
  if (batch.length === 0) return []
  const faults = await commitBatch(run, context.channels, batch, patience)
  const committed = batch.filter(({ candidate }) => !faults.has(candidate.notificationId))
  context.metrics.acceptBatch(batch.length)
  context.wakeOutbox(urgencyOf(context.channels, committed))
  context.wakeSenders(committed.flatMap((one) => queueOf(context.channels, one)))
  for (const { channel, lane } of committed) context.metrics.accepted(channel, lane)
  return batch.map(({ candidate, response, channel, topic = '' }) => {
    const fault = faults.get(candidate.notificationId)
    if (fault === undefined) return { body: response }
    if (fault === 'held' || fault === 'locked' || fault === 'committed') return fault
    if (fault === 'called_off') return new Problem('broadcast_not_running', 'The broadcast was cancelled')
    return isOptOut(fault)
      ? optedOutRecipient(fault, { topic, channel })
      : suppressedRecipient(fault, context.channels[channel]?.suppression)
  })
}

/** A hand-off is to be delivered now; of other messages the outbox has only facts. */
export function urgencyOf(channels: Channels, committed: readonly NewNotification[]): 'awaited' | 'later' {
  return committed.some((one) => !isForLater(one) && channels[one.channel]!.delivery.by !== 'carrier')
    ? 'awaited'
    : 'later'
}

/** The queue that a new notification is due in; none when another service delivers it, or it is for later. */
export function queueOf(channels: Channels, one: NewNotification): WokenQueue[] {
  const { candidate, channel, lane } = one
  if (isForLater(one) || channels[channel]!.delivery.by !== 'carrier') return []
  const { tenant_id, application_id, mode } = candidate.principal
  return [{ tenant_id, application_id, mode, lane, channel }]
}

function isShared(error: unknown): boolean {
  return error instanceof Problem || isConnectionError(error)
}

/** Runs work that needs the tables of acceptance. */
export type WatchLocks = <T>(run: Run, work: () => Promise<T>) => Promise<T>

export interface WithLockWatch {
  watchLocks: WatchLocks
}

const tryLocks = defineStatement({
  name: 'try-acceptance-locks',
  text: `do $$ begin
    lock table notifications, outbox, idempotency_keys in row exclusive mode nowait;
    lock table suppressions, preferences, topics, broadcasts in access share mode nowait;
  end $$`,
})

const watchedMs = 5000

/** After a lock wait has timed out, the next request does not wait for a table, so that requests do not pile up behind it. */
export function createLockWatch(): WatchLocks {
  let untilMs = Number.NEGATIVE_INFINITY
  return async (run, work) => {
    try {
      if (performance.now() < untilMs) await run(tryLocks)
      return await work()
    } catch (error) {
      if (isLockTimeout(error)) untilMs = performance.now() + watchedMs
      throw error
    }
  }
}
