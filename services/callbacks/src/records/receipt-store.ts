import type { ReceiptWanted } from '@notify/contracts'
import { column, defineStatement, partSql, type Queries } from '@notify/database'

/**
 * "Offset 0" looks up each row by itself: joined, a plan made while the tables were small would later read all of them. Each
 * message is taken apart once, and `is true` prevents a quadratic join.
 */
const republishReceiptsSql = defineStatement({
  name: 'republish-receipts',
  text: `
    with wanted as (select * from json_to_recordset($1::json) as t (attempt_id text, known text)),
    found as (
      select distinct attempt_id, status, message_id from wanted cross join lateral (
        select status, message_id from received_callbacks where attempt_id = wanted.attempt_id offset 0) as receipt
      where status <> 'sent' or known = 'unknown'
    ), again as (
      select message.subject, one::text from (select distinct message_id from found) as named
      cross join lateral (select id, subject, events from outbox where id = named.message_id offset 0) as message
      cross join lateral json_array_elements(message.events::json) as one
      where ((one -> 'event' ->> 'attempt_id', one -> 'event' ->> 'status', message.id)
        in (select attempt_id, status, message_id from found)) is true
    ), published as (
      insert into outbox (subject, events)
      select subject, '[' || string_agg(one, ',') || ']' from (select *, ${partSql('one')} as part from again) as measured
      group by subject, part
    )
    select count(*)::int as count from again`,
  columns: { count: column.integer() },
})

/** Publishes the receipts of these attempts again. @returns their number */
export async function republishReceipts(db: Queries, wanted: readonly ReceiptWanted[]): Promise<number> {
  const [row] = await db.run(republishReceiptsSql, [JSON.stringify(wanted)])
  return row?.count ?? 0
}
