import { enqueueSql } from '@notify/database'
import { type ByHandOff, type ChannelDefinition, type Channels, handedOverChannels } from '../../channels/channel.ts'
import { handOffSql } from './hand-off-events.ts'
import { placedSql, repeatedSql, tailSql } from './order-sql.ts'

/**
 * SQL of `with` queries that hand over the rows of channels that other services deliver, for the first time or for an operator's
 * retry; senders claim the others from the table. The relation has the columns of `notifications`.
 */
export function workQueries(channels: Channels, relation: string): string {
  return `${orderedWork(channels, relation)} ${unorderedWork(channels, relation)}`
}

/** Like {@link workQueries}, for hand-offs that may have been enqueued before and keep their position in the order. */
export function repeatedWorkQueries(channels: Channels, relation: string): string {
  const repeated = orderedChannels(channels).map((one) => enqueued(one, repeatedSql(one.name, relation)))
  return `${repeated.join(' ')} ${unorderedWork(channels, relation)}`
}

/** The part of {@link workQueries} for channels whose order does not matter. */
function unorderedWork(channels: Channels, relation: string): string {
  const handOffs = handedOverChannels(channels)
    .filter(({ delivery }) => !delivery.keepsOrder)
    .map(({ name, delivery }) => {
      const ofChannel = `(select * from (select * from ${relation}) as one where channel = '${name}') as one`
      return `work_${name} as (${enqueueSql(delivery.event, ofChannel, handOffSql())})`
    })
  return handOffs.length > 0 ? handOffs.join(', ') : 'work as (select)'
}

/** The part of {@link workQueries} for channels that keep the order of their hand-offs; each of its queries ends with a comma. */
export function orderedWork(channels: Channels, relation: string): string {
  return orderedChannels(channels)
    .map((one) => `${tailSql(one.name, relation)}, ${enqueued(one, placedSql(one.name, relation))}`)
    .join(' ')
}

/** Bytes of the hand-offs that one statement writes; many more would exceed its time. A larger one is written alone. */
export const mostHandOffBytes = 4 * 1024 * 1024

/** SQL: the bytes that handing over a row of `notifications` writes; 0 for what senders claim from the table. */
export function handOffBytesSql(channels: Channels, row: string): string {
  const names = handedOverChannels(channels).map(({ name }) => `'${name}'`)
  if (names.length === 0) return '0'
  return `case when ${row}.channel in (${names.join(', ')}) then coalesce(octet_length(${row}.payload), 0) else 0 end`
}

const orderedChannels = (channels: Channels) =>
  handedOverChannels(channels).filter(({ delivery }) => delivery.keepsOrder)

function enqueued({ name, delivery }: ChannelDefinition & { delivery: ByHandOff }, ordered: string): string {
  return `work_${name} as (${enqueueSql(delivery.event, ordered, handOffSql('after'))}),`
}
