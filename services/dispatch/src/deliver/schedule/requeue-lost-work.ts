import { streams } from '@notify/contracts'
import { column, defineStatements, type Queries } from '@notify/database'
import type { Channels } from '../../channels/channel.ts'
import { channels as registry } from '../../channels/registry.ts'
import { handOffBytesSql, repeatedWorkQueries } from '../../outcome/hand-offs/work-sql.ts'
import { queuesOfLaneSql } from '../queues/queue-store.ts'
import { fittingSql, lockOpenSql, scheduleBatch } from './open-sql.ts'

/** SQL: the moment before which the messages of a lane `l` were enqueued that are lost. */
const lostBefore = `greatest(now() - l.delivered_ms_ago * interval '1 millisecond', (select noticed_at from forgotten))`

/** SQL: the queues of a lane with lost messages in random order. Tenants share a batch, and so do the queues of each. */
const sharesSql = `
  select queue.*, greatest(1, ${scheduleBatch} / (dense_rank() over (order by tenant_id) + dense_rank() over (order by tenant_id desc) - 1)
    / count(*) over (partition by tenant_id)) as share
  from (${queuesOfLaneSql}) as queue where enqueued_at < ${lostBefore} order by random()`

const requeueLost = defineStatements(
  (channels: Channels) => ({
    name: 'requeue-lost-work',
    text: `
    with lane as (select * from json_to_recordset($1::json) as t (lane text, channel text, delivered_ms_ago float8)),
    forgotten as (select noticed_at from stream_losses where stream = $2 and last_seq = 0),
    lost as (
      ${fittingSql(`select one.* from lane as l cross join lateral (
        select one.* from (${sharesSql}) as q cross join lateral (
          ${lockOpenSql({
            where: `f.lane = l.lane and f.channel = l.channel and f.status = 'queued' and f.next_attempt_at is null
              and f.application_id = q.application_id and f.mode = q.mode and f.enqueued_at < ${lostBefore}`,
            orderBy: 'f.enqueued_at',
            still: `n.status = 'queued' and not n.sending and n.next_attempt_at is null`,
            limit: 'q.share',
            bytes: handOffBytesSql(channels, 'n'),
          })}
        ) as one limit ${scheduleBatch}
      ) as one`)}
    ), again as (
      update notifications n set enqueued_at = now() from lost where n.id = lost.id returning n.*
    ), ${repeatedWorkQueries(channels, 'again')}
    select count(*)::int as count from again`,
    columns: { count: column.integer() },
  }),
  registry,
)

/** The age from which all hand-offs of a lane have reached their service; Postgres subtracts it from its own clock. */
export interface DeliveredLane {
  lane: string
  channel: string
  delivered_ms_ago: number
}

/**
 * Writes hand-offs again that should have arrived but have no report, and all that were enqueued before JetStream lost its
 * stream. @returns how many; of each lane at most {@link scheduleBatch}
 */
export async function requeueLostWork(
  db: Queries,
  channels: Channels,
  lanes: readonly DeliveredLane[],
): Promise<number> {
  const [row] = await db.run(requeueLost(channels), [JSON.stringify(lanes), streams.dispatch.name])
  return row!.count
}
