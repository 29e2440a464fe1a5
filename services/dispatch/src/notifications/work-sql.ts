import { enqueueSql } from '@notify/database'
import { type Channels, handedOverChannels } from '../channels/channel.ts'
import { handOffSql, partSql } from '../hand-offs/hand-off-events.ts'

/**
 * SQL of `with` queries that hand over the rows of channels that other services deliver; senders claim the others from the table.
 * The relation has the `toldColumns` and `payload`.
 */
export function workQueries(channels: Channels, relation: string): string {
  const handOffs = handedOverChannels(channels).map(({ name, delivery }) => {
    const parts = `(select *, ${partSql} as part from (select * from ${relation}) as one where channel = '${name}') as one`
    return `work_${name} as (${enqueueSql(delivery.event, parts, handOffSql, 'part')})`
  })
  return handOffs.length > 0 ? handOffs.join(', ') : 'work as (select)'
}
