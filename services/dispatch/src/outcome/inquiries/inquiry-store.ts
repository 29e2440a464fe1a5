import { receiptWanted } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import { enqueueSql } from '@notify/database'
import { type Channels, handedOverChannels } from '../../channels/channel.ts'
import type { Tables } from '../../db/schema.ts'
import { repeatedWorkQueries } from '../hand-offs/work-sql.ts'

export const inquiryPage = 500

/** SQL: the attempts of a join of notifications with `attempts a`, as callbacks is asked for them. */
export const silentSql = (rows: string): string =>
  `select a.id, traceparent, case when a.outcome = 'accepted' then 'sent' else 'unknown' end as known from ${rows}`

/** SQL for a relation of notifications and their `attempts a`; `offset 0` keeps a plan for small tables from reading all attempts. */
export const withAttempts = (relation: string): string =>
  `${relation} cross join lateral (select * from attempts where notification_id = ${relation}.id offset 0) as a`

/** SQL that asks callbacks for the receipts of the attempts of {@link silentSql}. */
export const askSql = (silent: string): string =>
  enqueueSql(receiptWanted, silent, `json_build_object('attempt_id', id, 'known', known)`)

/** The result of a page of a walk. */
export interface Inquiry {
  /** The position of the last notification examined; null if there was none. */
  reached: string | null
  looked: number
  asked: number
}

/** Walks by the time of the hand-over: a message may have been scheduled, held or retried for days. */
const askSent = (channels: Channels): Statement => ({
  name: 'ask-for-sent',
  text: `
    with page as (
      select id, since from in_flight
      where status = 'sent' and not settled and since >= $1::timestamptz and (since, id) > ($1::timestamptz, $2)
        and since <= $3::timestamptz
      order by since, id limit ${inquiryPage}
    ), sent as (
      select n.* from notifications n where id = any(array(select id from page)) and status = 'sent'
    ), silent as (
      ${silentSql(`sent join attempts a on a.notification_id = sent.id where a.outcome in ('accepted', 'unknown')`)}
    ), asked as (${askSql('silent')}), unfinished as (
      select * from sent where channel = any ($4)
    ), ${repeatedWorkQueries(channels, 'unfinished')}
    select (select to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '|' || id
        from page order by page.since desc, page.id desc limit 1) as reached,
      (select count(*)::int from page) as looked,
      (select count(*)::int from silent) + (select count(*)::int from unfinished) as asked`,
})

/**
 * Requests the receipts of notifications that are `sent`, by when they became so, whichever attempt it was.
 * Hand-offs are handed over again instead.
 * @param after position of the walk: the time, and behind a bar the id
 * @param until latest time
 */
export async function askForSent(
  db: Database<Tables>,
  channels: Channels,
  after: string,
  until: Date,
): Promise<Inquiry> {
  const [since, id = ''] = after.split('|')
  const handedOver = handedOverChannels(channels).map(({ name }) => name)
  const [inquiry] = await db.run<Inquiry>(askSent(channels), [since, id, until, handedOver])
  return inquiry!
}

const askFailed: Statement = {
  name: 'ask-for-failed',
  text: `
    with page as (
      select id, status, traceparent from notifications where id > $1 and id <= $2 order by id limit ${inquiryPage}
    ), silent as (
      ${silentSql(`page join attempts a on a.notification_id = page.id where page.status = 'failed' and a.outcome = 'unknown'`)}
    ), asked as (${askSql('silent')})
    select (select id from page order by id desc limit 1) as reached, (select count(*)::int from page) as looked,
      (select count(*)::int from silent) as asked`,
}

/** Requests the receipts of notifications that failed with an unknown outcome, by when they were accepted. */
export async function askForFailed(db: Database<Tables>, after: string, until: string): Promise<Inquiry> {
  const [inquiry] = await db.run<Inquiry>(askFailed, [after, until])
  return inquiry!
}
