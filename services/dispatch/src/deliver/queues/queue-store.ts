import type { Channel, KeyMode, Lane } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { Tables } from '../../db/schema.ts'
import type { QueueKey } from './send-queues.ts'

/** A lane of a channel. */
export interface LaneOf {
  lane: Lane
  channel: Channel
}

/** A queue that has messages which are due. */
export type ReadyQueue = QueueKey & LaneOf

/** One step into the index for each queue, however many messages it has: `enqueued_at` of what waits is when it is due. */
const first = (after: string) => `
  select f.tenant_id, f.application_id, f.mode, f.enqueued_at from in_flight f
  where f.lane = l.lane and f.channel = l.channel and f.status = 'queued' ${after}
  order by f.application_id, f.mode, f.enqueued_at limit 1`

/** SQL: the queues of the lanes `$1` that have messages which are due, with the oldest's `enqueued_at`. */
export const readyQueuesSql = `
  select l.lane, l.channel, q.tenant_id, q.application_id, q.mode, q.enqueued_at
  from json_to_recordset($1::json) as l (lane text, channel text) cross join lateral (
    with recursive queues as (
      (${first('')})
      union all
      select next.* from queues cross join lateral (
        ${first('and (f.application_id, f.mode) > (queues.application_id, queues.mode)')}
      ) as next
    )
    select * from queues where enqueued_at <= now()
  ) as q`

const findReady: Statement = { name: 'find-ready-queues', text: readyQueuesSql }

/** Finds the queues of lanes that have messages which are due, those in hand included. */
export function findReadyQueues(db: Database<Tables>, lanes: readonly LaneOf[]): Promise<ReadyQueue[]> {
  return db.run<ReadyQueue>(findReady, [JSON.stringify(lanes)])
}

/** A queue of a channel, over all its lanes. */
export interface HeldQueue {
  application_id: string
  channel: Channel
  mode: KeyMode
}

const valuesOf = ({ application_id, channel, mode }: HeldQueue) => [application_id, channel, mode]

/** Records since when no provider of a queue may be called; HOLD_LIMIT counts from then. */
export async function holdQueue(db: Database<Tables>, queue: HeldQueue): Promise<void> {
  await db.run(
    'insert into held_queues (application_id, channel, mode) values ($1, $2, $3) on conflict do nothing',
    valuesOf(queue),
  )
}

/** A provider of the queue works again. */
export async function releaseQueue(db: Database<Tables>, queue: HeldQueue): Promise<void> {
  await db.run('delete from held_queues where application_id = $1 and channel = $2 and mode = $3', valuesOf(queue))
}
