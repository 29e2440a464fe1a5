import { streams } from '@notify/contracts'
import { column, defineStatement, type Queries } from '@notify/database'
import { queuesOfLaneSql } from '../queues/queue-store.ts'
import type { DeliveredLane } from './requeue-lost-work.ts'

const mayBeLost = defineStatement({
  name: 'look-lost-work',
  text: `
    select exists (
      select from unnest($1::text[], $2::text[]) as l (lane, channel) cross join lateral (
        ${queuesOfLaneSql} where enqueued_at < greatest(now() - $3::float8 * interval '1 millisecond',
          (select noticed_at from stream_losses where stream = $4 and last_seq = 0))
      ) as oldest
    ) as may_be_lost`,
  columns: { may_be_lost: column.boolean() },
})

/**
 * Whether a hand-off may be lost: one waits for longer than `stalledMs`, or was enqueued before JetStream lost its stream.
 * Usually none does, which saves a request to NATS and a longer statement.
 */
export async function mayHaveLostWork(
  db: Queries,
  lanes: readonly Pick<DeliveredLane, 'lane' | 'channel'>[],
  stalledMs: number,
): Promise<boolean> {
  const names = lanes.map(({ lane }) => lane)
  const channels = lanes.map(({ channel }) => channel)
  const [row] = await db.run(mayBeLost, [names, channels, stalledMs, streams.dispatch.name])
  return row!.may_be_lost
}
