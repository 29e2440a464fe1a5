import { receiptWanted } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import { enqueueSql } from '@notify/database'
import { type Channels, handedOverChannels } from '../channels/channel.ts'
import type { Tables } from '../db/schema.ts'
import { workQueries } from '../notifications/work-sql.ts'

export const inquiryPage = 500

const ask = (channels: Channels): Statement => ({
  name: 'ask-for-receipts',
  text: `
    with page as (
      select id, channel, status, attempt_count, traceparent from notifications
      where id > $1 and id <= $2 order by id limit ${inquiryPage}
    ), silent as (
      select a.id, page.traceparent, case when a.outcome = 'accepted' then 'sent' else 'unknown' end as known
      from page join attempts a on a.notification_id = page.id
      where page.status = 'sent' and a.number = page.attempt_count or page.status = 'failed' and a.outcome = 'unknown'
    ), asked as (
      ${enqueueSql(receiptWanted, 'silent', `json_build_object('attempt_id', id, 'known', known)`)}
    ), unfinished as (
      select n.* from page join notifications n using (id) where page.status = 'sent' and page.channel = any ($3)
    ), ${workQueries(channels, 'unfinished')}
    select (select id from page order by id desc limit 1) as reached, (select count(*)::int from page) as looked,
      (select count(*)::int from silent) + (select count(*)::int from unfinished) as asked`,
})

export interface Inquiry {
  /** The last notification examined; null if none. */
  reached: string | null
  looked: number
  asked: number
}

/**
 * Requests receipts for a page of notifications that are sent, or failed with an unknown outcome.
 * Hand-offs are handed over again instead.
 */
export async function askForReceipts(
  db: Database<Tables>,
  channels: Channels,
  after: string,
  until: string,
): Promise<Inquiry> {
  const handedOver = handedOverChannels(channels).map(({ name }) => name)
  const [inquiry] = await db.run<Inquiry>(ask(channels), [after, until, handedOver])
  return inquiry!
}
