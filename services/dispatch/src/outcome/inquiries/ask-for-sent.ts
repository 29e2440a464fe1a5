import { defineStatements, type Queries } from '@notify/database'
import { type Channels, handedOverChannels } from '../../channels/channel.ts'
import { channels as registry } from '../../channels/registry.ts'
import { mostHandOffBytes, repeatedWorkQueries } from '../hand-offs/work-sql.ts'
import { askSql, type Inquiry, inquiryColumns, inquiryPage, silentSql } from './inquiry-sql.ts'

/**
 * Ordered by the time of sending, because a message may have been scheduled, delayed or retried for days. A page ends early when
 * its hand-offs are as large as one statement may write.
 */
const ask = defineStatements(
  (channels: Channels) => ({
    name: 'ask-for-sent',
    text: `
    with page as (
      select id, since, found from (
        select *, count(*) over () as found, sum(bytes) over (order by since, id) - bytes as before
        from (
          select id, since, case when channel = any ($4)
            then coalesce((select octet_length(n.payload) from notifications n where n.id = f.id), 0) else 0 end as bytes
          from in_flight f
          where status = 'sent' and not settled and since >= $1::timestamptz and (since, id) > ($1::timestamptz, $2)
            and since <= $3::timestamptz
          order by since, id limit ${inquiryPage}
        ) as open
      ) as counted where before < ${mostHandOffBytes}
    ), sent as (
      select n.* from notifications n where id = any(array(select id from page)) and status = 'sent'
    ), silent as (
      ${silentSql(`sent join attempts a on a.notification_id = sent.id where a.outcome in ('accepted', 'unknown')`)}
    ), asked as (${askSql('silent')}), unfinished as (
      select * from sent where channel = any ($4) and payload is not null
    ), ${repeatedWorkQueries(channels, 'unfinished')}
    select (select to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '|' || id
        from page order by page.since desc, page.id desc limit 1) as reached,
      (select coalesce(max(found) = ${inquiryPage} or max(found) > count(*), false) from page) as more,
      (select count(*)::int from silent) + (select count(*)::int from unfinished) as asked`,
    columns: inquiryColumns,
  }),
  registry,
)

/**
 * Requests the receipts of notifications that are `sent`, in the order in which they were sent, for each attempt. Hand-offs
 * are repeated instead, unless their content was erased.
 * @param after position of the walk: `<time>|<id>`
 * @param until latest time
 */
export async function askForSent(db: Queries, channels: Channels, after: string, until: Date): Promise<Inquiry> {
  const [since, id = ''] = after.split('|')
  const handedOver = handedOverChannels(channels).map(({ name }) => name)
  const [inquiry] = await db.run(ask(channels), [since, id, until, handedOver])
  return inquiry!
}
