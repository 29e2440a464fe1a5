import type { Channel } from '@notify/contracts'

/** What a hand-off is made of. */
const columns = `id, tenant_id, application_id, mode, lane, channel, event_key, retry_count, created_at, payload, traceparent,
      recipient_index, send_at`

/** Hand-offs keep their order in an inbox, lane by lane: a campaign must not delay what cannot wait. */
const inbox = 'recipient_index collate "C", application_id collate "C", mode collate "C", lane collate "C"'

/** A predecessor older than a stream keeps messages is not waited for: it can only be handed over again. */
const longestWait = `interval '3 days'`

/**
 * SQL of `with` queries that put the hand-offs of a relation behind those before them: `ordered_<channel>` has the rows with
 * `after`. The tail of an inbox stays locked until the commit, so what is accepted after an answer follows what was answered.
 */
export function placedSql(channel: Channel, relation: string): string {
  return `entering_${channel} as (
      select ${columns} from (select * from ${relation}) as one where channel = '${channel}'
    ), tail_${channel} as (
      insert into hand_off_tails as known (recipient_index, application_id, mode, lane, channel, last_id)
      select distinct on (${inbox}) recipient_index, application_id, mode, lane, channel, id from entering_${channel}
      order by ${inbox}, send_at desc, id desc
      on conflict (recipient_index, application_id, mode, lane, channel)
        do update set last_id = excluded.last_id, placed_at = now()
      returning known.recipient_index, known.application_id, known.mode, known.lane,
        case when old.placed_at > now() - ${longestWait}
          and not exists (select from notifications n where n.id = old.last_id and n.settled) then old.last_id end as before_id
    ), ordered_${channel} as (
      select * from (
        select *, lag(coalesce(id, before_id)) over (partition by ${inbox} order by id is not null, send_at, id) as after
        from (
          select *, null as before_id from entering_${channel}
          union all
          select null, null, application_id, mode, lane, null, null, null, null, null, null, recipient_index, null, before_id
          from tail_${channel}
        ) as chain
      ) as linked where id is not null
    )`
}

/** After this a hand-off that is repeated waits for none: its predecessor may be unreadable. */
const longestRepeat = `interval '5 minutes'`

/**
 * The same for hand-offs that are repeated because nobody reported on them: each follows the one before it in the relation alone,
 * so that the receiver no longer waits for one that does not come.
 */
export function repeatedSql(channel: Channel, relation: string): string {
  return `ordered_${channel} as (
      select ${columns}, case when coalesce(send_at, created_at) > now() - ${longestRepeat} then
        lag(id) over (partition by ${inbox} order by coalesce(send_at, created_at), id) end as after
      from (select * from ${relation}) as one where channel = '${channel}'
    )`
}
