import { cast, column, defineStatement, erasedReasonSql, erasedText, type Person, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'
import { unknownReason } from '../deliver/settle/decide-next.ts'
import { factsInto } from '../outcome/facts/fact-sql.ts'
import { theirs } from './notifications-of-person.ts'

const batch = 200

const count = cast(column.integer(), sql`count(*)`).as('count')
/** Others are copies. */
const isToThem = '(n.recipient_index = $2 or n.user_index is not distinct from $2)'
const waits = `n.status in ('queued', 'scheduled')`

/** The carrier's code takes the place of its words. By the reason of an unknown outcome a late answer is recognised. */
const reasonLeft = `case when n.failure_reason = '${unknownReason}' then n.failure_reason
            when n.failure_reason is not null then coalesce(${erasedReasonSql('n.failure_reason')}, (
              select provider_code from attempts where notification_id = n.id order by number desc limit 1)) end`

/** What a worker is sending is left for the next run. What waits is not sent any more, and nothing follows it. */
const erase = defineStatement({
  name: 'erase-notifications',
  text: `
    with theirs as (
      select id from notifications
      where id in (${theirs}) and not sending
      order by id limit ${batch} for update
    ), erased as (
      update notifications n
      set recipient_masked = case when ${isToThem} then '${erasedText}' else n.recipient_masked end,
          recipient_index = case when ${isToThem} then '${erasedText}' else n.recipient_index end,
          user_index = case when ${isToThem} then null else n.user_index end, payload = null, metadata = null, retryable = false,
          status = case when ${waits} then 'failed' else n.status end,
          failure_reason = case when ${waits} then 'recipient_erased' else ${reasonLeft} end,
          next_attempt_at = case when ${waits} then null else n.next_attempt_at end,
          revision = n.revision + (${waits})::int, updated_at = case when ${waits} then now() else n.updated_at end
      where n.id = any(array(select id from theirs))
      returning n.*, old.status as old_status
    ), words as (
      update attempts set provider_message = null, provider_message_id = null
      where notification_id = any(array(select id from erased))
    ), copied as (
      delete from copies where notification_id = any(array(select id from erased)) and recipient_index = $2
    ), tails as (
      delete from hand_off_tails where recipient_index = $2 and last_id = any(array(select id from erased))
    ), facts as (${factsInto('erased where status <> old_status')})
    select count(*)::int as count from erased`,
  columns: { count: column.integer() },
})

/** @returns how many there were */
export async function eraseNotifications(db: Queries, { tenantId, index }: Person): Promise<number> {
  const [row] = await db.runLong(erase, [tenantId, index])
  return row!.count
}

const isTheirs = ({ tenantId, index = '', forgetStops }: Person) =>
  sql<boolean>`tenant_id = ${tenantId} and recipient_index = ${index} and (${forgetStops} or recipient_masked <> ${erasedText})`

export async function countSuppressions(db: Queries, person: Person): Promise<number> {
  const [row] = await db.runLong(build.selectFrom('suppressions').select(count).where(isTheirs(person)))
  return row!.count
}

/** A suppression keeps its index alone, so that the person stays suppressed. @returns how many there were */
export async function eraseSuppressions(db: Queries, person: Person): Promise<number> {
  const query = person.forgetStops
    ? build.deleteFrom('suppressions').where(isTheirs(person)).returning('id')
    : build.updateTable('suppressions').set({ recipient_masked: erasedText }).where(isTheirs(person)).returning('id')
  return (await db.runLong(query)).length
}
