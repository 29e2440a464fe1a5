import { sendRequested } from '@notify/contracts'
import { enqueueSql } from '@notify/database'
import { type Channels, handedOverChannels } from '../channels/channel.ts'
import { handOffSql, partSql } from '../hand-offs/hand-off-events.ts'

/**
 * SQL of a `with` query that enqueues the work of each row: a carrier call or a hand-off event.
 * The relation has the `toldColumns` and `payload`.
 */
export function workQueries(channels: Channels, relation: string): string {
  const handedOver = handedOverChannels(channels)
  if (handedOver.length === 0) return `work as (${carried(relation)})`
  const rows = `(select * from ${relation}) as one`
  const names = handedOver.map(({ name }) => `'${name}'`)
  const handOffs = handedOver.map(({ name, delivery }) => {
    const parts = `(select *, ${partSql} as part from ${rows} where channel = '${name}') as one`
    return `work_${name} as (${enqueueSql(delivery.event, parts, handOffSql, 'part')})`
  })
  return [`work as (${carried(`${rows} where channel not in (${names})`)})`, ...handOffs].join(', ')
}

function carried(rows: string): string {
  const work = `json_build_object('notification_id', id, 'lane', lane, 'channel', channel)`
  return enqueueSql(sendRequested, rows, work)
}
