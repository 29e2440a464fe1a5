import { sendRequested } from '@notify/contracts'
import { enqueueSql } from '@notify/database'
import { type Channels, handedOverChannels } from '../channels/channel.ts'
import { handOffSql, partSql } from '../hand-offs/hand-off-events.ts'

/**
 * SQL of a `with` query that puts the work of each row of a relation into the outbox: the call of a carrier, or the event that
 * hands the notification over. The relation holds the columns of `notifications` that are told, and `payload`.
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
