import type { Channel } from '@notify/contracts'
import { lockedSql } from '../../db/locked-sql.ts'

/** The columns from which a hand-off is made. */
export const handOffColumns = `id, tenant_id, application_id, mode, lane, channel, event_key, topic, retry_count, created_at, payload,
      traceparent, recipient_index, send_at`

/** Hand-offs keep their order within an inbox and lane, so that a campaign does not delay urgent ones. */
const inbox = 'recipient_index collate "C", application_id collate "C", mode collate "C", lane collate "C"'

/**
 * The time for which the stream keeps messages. An older predecessor is not awaited, because it can only be handed over
 * again.
 */
const longestWait = `interval '3 days'`

/** SQL: the hand-offs of one channel in a relation. */
const ofChannel = (channel: Channel, relation: string) =>
  `(select ${handOffColumns} from (select * from ${relation}) as one where channel = '${channel}') as entering`

/**
 * SQL of a `with` query that records the last hand-off of each inbox in a relation, for {@link placedSql}. The row stays
 * locked until the commit, so hand-offs follow the order of their acceptances.
 */
export function tailSql(channel: Channel, relation: string): string {
  return `tail_${channel} as (
      insert into hand_off_tails as known (recipient_index, application_id, mode, lane, channel, last_id)
      select distinct on (${inbox}) recipient_index, application_id, mode, lane, channel, id from ${ofChannel(channel, relation)}
      order by ${inbox}, send_at desc, id desc
      on conflict (recipient_index, application_id, mode, lane, channel)
        do update set last_id = excluded.last_id, placed_at = now()
      returning known.recipient_index, known.application_id, known.mode, known.lane,
        case when old.placed_at > now() - ${longestWait}
          and not exists (select from notifications n where n.id = old.last_id and n.settled) then old.last_id end as before_id
    )`
}

/** SQL: `locked` when another transaction holds the inbox of a row, unless the row `waits`; see {@link lockedSql}. */
export function lockedInboxSql(row: string): string {
  const key = ['recipient_index', 'application_id', 'mode', 'lane', 'channel']
  return lockedSql({
    found: `select true from hand_off_tails t where ${key.map((one) => `t.${one} = ${row}.${one} collate "C"`).join(' and ')}`,
    name: `concat_ws(' ', 'inbox', ${key.map((one) => `${row}.${one}`).join(', ')})`,
    waits: `${row}.waits`,
  })
}

/** SQL: the hand-offs of a relation, each with its predecessor as `after`. */
export function placedSql(channel: Channel, relation: string): string {
  return `(select * from (
        select *, lag(coalesce(id, before_id)) over (partition by ${inbox} order by id is not null, send_at, id) as after
        from (
          select *, null as before_id from ${ofChannel(channel, relation)}
          union all
          select null, null, application_id, mode, lane, null, null, null, null, null, null, null, recipient_index, null, before_id
          from tail_${channel}
        ) as chain
      ) as linked where id is not null) as placed`
}

/** After this time a repeated hand-off waits for no predecessor, which may be unreadable. */
const longestRepeat = `interval '5 minutes'`

/**
 * The same for hand-offs repeated because they have no report. `after` names only hand-offs of the relation, so that the
 * receiver does not wait for one that never arrives.
 */
export function repeatedSql(channel: Channel, relation: string): string {
  return `(select ${handOffColumns}, case when coalesce(send_at, created_at) > now() - ${longestRepeat} then
        lag(id) over (partition by ${inbox} order by coalesce(send_at, created_at), id) end as after
      from ${ofChannel(channel, relation)}) as repeated`
}
