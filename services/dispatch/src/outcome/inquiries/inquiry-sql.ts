import { receiptWanted } from '@notify/contracts'
import { column, enqueueSql, type RowOf } from '@notify/database'

export const inquiryPage = 500

/** SQL: the attempts whose receipts are requested from callbacks, of a join of notifications with `attempts a`. */
export const silentSql = (rows: string): string =>
  `select a.id, traceparent, case when a.outcome = 'accepted' then 'sent' else 'unknown' end as known from ${rows}`

/** SQL for a relation of notifications and their `attempts a`; `offset 0` keeps a plan for small tables from reading all attempts. */
export const withAttempts = (relation: string): string =>
  `${relation} cross join lateral (select * from attempts where notification_id = ${relation}.id offset 0) as a`

/** SQL that requests the receipts of the attempts of {@link silentSql} from callbacks. */
export const askSql = (silent: string): string =>
  enqueueSql(receiptWanted, silent, `json_build_object('attempt_id', id, 'known', known)`)

/** The result of a page of a walk. */
export const inquiryColumns = {
  /** The position of the last notification examined; null if there was none. */
  reached: column.text().nullable(),
  /** Whether the walk has more to examine now. */
  more: column.boolean(),
  asked: column.integer(),
}

export type Inquiry = RowOf<typeof inquiryColumns>
