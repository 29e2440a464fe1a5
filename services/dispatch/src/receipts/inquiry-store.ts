import { receiptWanted } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import { enqueueSql } from '@notify/database'
import type { Tables } from '../db/schema.ts'

export const inquiryPage = 500

const ask: Statement = {
  name: 'ask-for-receipts',
  text: `
    with page as (
      select id, status, attempt_count, traceparent from notifications
      where id > $1 and id <= $2 order by id limit ${inquiryPage}
    ), silent as (
      select a.id, page.traceparent, case when a.outcome = 'accepted' then 'sent' else 'unknown' end as known
      from page join attempts a on a.notification_id = page.id
      where page.status = 'sent' and a.number = page.attempt_count or page.status = 'failed' and a.outcome = 'unknown'
    ), asked as (
      ${enqueueSql(receiptWanted, 'silent', `json_build_object('attempt_id', id, 'known', known)`)}
    )
    select (select id from page order by id desc limit 1) as reached, (select count(*)::int from page) as looked,
      (select count(*)::int from silent) as asked`,
}

export interface Inquiry {
  /** The last notification looked at; null when there was none. */
  reached: string | null
  looked: number
  asked: number
}

/** Asks callbacks for the receipts of a page of notifications that are sent, or failed without anybody knowing. */
export async function askForReceipts(db: Database<Tables>, after: string, until: string): Promise<Inquiry> {
  const [inquiry] = await db.run<Inquiry>(ask, [after, until])
  return inquiry!
}
