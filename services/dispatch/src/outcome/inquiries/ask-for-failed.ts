import { defineStatement, type Queries } from '@notify/database'
import { askSql, type Inquiry, inquiryColumns, inquiryPage, silentSql } from './inquiry-sql.ts'

const ask = defineStatement({
  name: 'ask-for-failed',
  text: `
    with page as (
      select id, status, traceparent from notifications where id > $1 and id <= $2 order by id limit ${inquiryPage}
    ), silent as (
      ${silentSql(`page join attempts a on a.notification_id = page.id where page.status = 'failed' and a.outcome = 'unknown'`)}
    ), asked as (${askSql('silent')})
    select (select id from page order by id desc limit 1) as reached, (select count(*) = ${inquiryPage} from page) as more,
      (select count(*)::int from silent) as asked`,
  columns: inquiryColumns,
})

/** Requests the receipts of notifications that failed with an unknown outcome, in the order of their acceptance. */
export async function askForFailed(db: Queries, after: string, until: string): Promise<Inquiry> {
  const [inquiry] = await db.run(ask, [after, until])
  return inquiry!
}
