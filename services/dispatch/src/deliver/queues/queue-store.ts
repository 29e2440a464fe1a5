import type { Channel, Lane } from '@notify/contracts'
import { column, defineStatement, pick, type Queries, type RowOf } from '@notify/database'
import { build, tables } from '../../db/schema.ts'

/** A lane of a channel. */
export interface LaneOf {
  lane: Lane
  channel: Channel
}

const { in_flight, held_queues } = tables

/** One index probe for each queue, however many messages it has. Those that wait for their next attempt are not in the index. */
const first = (after: string) => `
  select f.tenant_id, f.application_id, f.mode, f.enqueued_at from in_flight f
  where f.lane = l.lane and f.channel = l.channel and f.status = 'queued' and f.next_attempt_at is null ${after}
  order by f.application_id, f.mode, f.enqueued_at limit 1`

/** SQL: the queues of a lane `l` that have messages, with the `enqueued_at` of the oldest. */
export const queuesOfLaneSql = `
  with recursive queues as (
    (${first('')})
    union all
    select next.* from queues cross join lateral (
      ${first('and (f.application_id, f.mode) > (queues.application_id, queues.mode)')}
    ) as next
  )
  select * from queues`

/** SQL: the queues of the lanes `$1` that have messages which are due. */
export const readyQueuesSql = `
  select l.lane, l.channel, q.tenant_id, q.application_id, q.mode, q.enqueued_at
  from json_to_recordset($1::json) as l (lane text, channel text)
  cross join lateral (${queuesOfLaneSql} where enqueued_at <= now()) as q`

const findReady = defineStatement({
  name: 'find-ready-queues',
  text: readyQueuesSql,
  columns: {
    lane: column.text<Lane>(),
    channel: column.text<Channel>(),
    ...pick(in_flight, 'tenant_id', 'application_id', 'mode', 'enqueued_at'),
  },
})

/** Finds the queues of lanes that have due messages, including those in hand. */
export function findReadyQueues(db: Queries, lanes: readonly LaneOf[]) {
  return db.run(findReady, [JSON.stringify(lanes)])
}

/** A queue of a channel, over all its lanes. */
export type HeldQueue = Pick<RowOf<typeof held_queues>, 'application_id' | 'channel' | 'mode'>

/** Records the time from which a queue sends nothing; HOLD_LIMIT counts from it. */
export async function holdQueue(db: Queries, { application_id, channel, mode }: HeldQueue): Promise<void> {
  const held = build.insertInto('held_queues').values({ application_id, channel, mode })
  await db.run(held.onConflict((conflict) => conflict.doNothing()))
}

/** A provider of the queue works again. */
export async function releaseQueue(db: Queries, { application_id, channel, mode }: HeldQueue): Promise<void> {
  const released = build.deleteFrom('held_queues').where('application_id', '=', application_id)
  await db.run(released.where('channel', '=', channel).where('mode', '=', mode))
}
