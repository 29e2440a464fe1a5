import type { Id, KeyMode, Receipt } from '@notify/contracts'
import { anyOf, column, defineStatement, erasedText, type Queries, type Run } from '@notify/database'
import { build } from '../../db/schema.ts'
import type { Latency, Reported } from '../../metrics.ts'
import { reportedFactsInto } from '../facts/fact-sql.ts'
import { latenciesSql } from '../facts/latency-sql.ts'
import { nextStatusSql } from './next-status-sql.ts'

/**
 * Whether the receipt belongs to the current attempt; after an operator's retry there is none until the first new attempt.
 */
const ownAttempt = (number: string) => `${number} = n.attempt_count and n.round_attempts > 0`

/** SQL for the next state, null when nothing changes. */
const nextStatus = nextStatusSql('receipt', ownAttempt('receipt.number'))

/** SQL: whether the receipt ends the attempt that is being sent, even if the state stays: its worker may have died. */
const endsSending = (number: string) => `n.sending and ${number} = n.attempt_count`

/** SQL: whether the recipient was erased; then the carrier's text and message id are not stored again. */
const erased = `n.recipient_index = '${erasedText}'`

const settles = `
  a.outcome is distinct from 'accepted' or a.provider_id is null or a.provider_message_id is null and not ${erased}`
const explains = `n.status <> 'delivered' and (input.code is not null or input.reason is not null)`

/**
 * SQL: whether a receipt changes anything. Evaluated before the row is locked, and again if the row has changed meanwhile.
 */
const changesSomething = `
  ${nextStatusSql('input', ownAttempt('a.number'))} is not null or ${endsSending('a.number')} or ${settles} or ${explains}`

/** SQL for an attempt's reported fields: the first receipt with a value wins, unless the message is delivered. */
const reportedField = (known: string, news: string) =>
  `coalesce(case when a.outcome = 'accepted' then a.${known} end, case when explains then receipt.${news} end)`

/** SQL: the attempt that a receipt is about. Reports on a repetition name the attempt that it repeats, unless it was refused. */
const reportedAttempt = `
  select * from attempts where notification_id = input.id and (id = input.attempt_id
    or repeats = input.attempt_id and (outcome is null or outcome in ('accepted', 'unknown')))
  order by number desc limit 1`

/**
 * Applies receipts only to the tenant whose account signed them. The next state is an expression, evaluated again for
 * a locked row. Pass whole rows between CTEs: joining back is quadratic.
 */
const apply = defineStatement({
  name: 'apply-receipts',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, attempt_id text, provider_id text, provider_message_id text,
        status text, code text, reason text, retryable boolean)
    ), receipt as (
      select input.*, a.number, p.kind, ${settles} as settles, ${explains} as explains, ${erased} as erased
      from notifications n join input using (id)
      join providers p on p.id = input.provider_id and p.tenant_id = n.tenant_id
      cross join lateral (${reportedAttempt}) as a
      where ${changesSomething}
      order by n.id for update of n
    ), attempt as (
      update attempts a
      set outcome = 'accepted', finished_at = coalesce(a.finished_at, now()),
          provider_id = coalesce(a.provider_id, receipt.provider_id),
          provider_message_id = case when not receipt.erased then coalesce(a.provider_message_id, receipt.provider_message_id) end,
          provider_code = ${reportedField('provider_code', 'code')},
          provider_message = case when not receipt.erased then ${reportedField('provider_message', 'reason')} end
      from receipt where a.notification_id = receipt.id and a.number = receipt.number and (settles or explains)
    ), touched as (
      update notifications n
      set status = coalesce(${nextStatus}, n.status), updated_at = now(), next_attempt_at = null, when_due = 'send',
          sending = n.sending and receipt.number <> n.attempt_count,
          revision = n.revision + case when ${nextStatus} is null then 0 else 1 end,
          failure_reason = case when ${nextStatus} is null then n.failure_reason
            when receipt.erased then receipt.code else receipt.reason end,
          retryable = case when ${nextStatus} is null then n.retryable else receipt.retryable end
      from receipt where n.id = receipt.id and (${nextStatus} is not null or ${endsSending('receipt.number')})
      returning n.*, old.status as old_status, old.when_due as old_when_due, receipt.kind
    ), changed as (select * from touched where status <> old_status), facts as (${reportedFactsInto('changed')})
    select array(select id from changed) as ids, (${latenciesSql('changed')}) as latencies,
      (select coalesce(json_agg(json_build_object('channel', channel, 'kind', kind, 'status', status)), '[]')
       from changed where mode = 'live' and status in ('delivered', 'undelivered', 'failed')) as reported`,
  columns: {
    ids: column.texts<Id<'notif'>>(),
    latencies: column.json<Latency[]>(),
    reported: column.json<Reported[]>(),
  },
})

/** Applies receipts, at most one per notification. @returns the changed notifications, their latencies and outcomes */
export async function applyReceipts(db: Queries, receipts: readonly Receipt[]) {
  const [row] = await db.run(apply, [JSON.stringify(receipts.map(rowOf))])
  return row!
}

/** The code of a receipt is stored only for a failure, which has a reason. */
function rowOf({ notification_id: id, error_code, reason, retryable = false, ...receipt }: Receipt) {
  const { attempt_id, provider_id, provider_message_id, status } = receipt
  const why = reason === undefined ? { code: null, reason: null } : { code: error_code, reason }
  return { id, attempt_id, provider_id, provider_message_id, status, ...why, retryable }
}

/** The modes of notifications, by id. */
export async function readModes(run: Run, ids: readonly Id<'notif'>[]): Promise<Map<Id<'notif'>, KeyMode>> {
  const rows = await run(build.selectFrom('notifications').select(['id', 'mode']).where('id', '=', anyOf(ids)))
  return new Map(rows.map(({ id, mode }) => [id, mode]))
}
