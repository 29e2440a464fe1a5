import { erasedText, type Person, type Queries, type Statement } from '@notify/database'
import { factsInto } from '../outcome/facts/fact-sql.ts'

const batch = 200

const theirs = `hashtextextended(recipient_index, 0) = hashtextextended($2::text, 0) and recipient_index = $2 and tenant_id = $1`
const waits = `n.status in ('queued', 'scheduled')`

export async function countNotifications(db: Queries, { tenantId, index }: Person): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(
    `select count(*)::int as count from notifications where ${theirs}`,
    [tenantId, index],
  )
  return row!.count
}

/** What a worker is sending is left for the next run. What waits is not sent any more, and nothing follows it. */
const erase: Statement = {
  name: 'erase-notifications',
  text: `
    with theirs as (select id from notifications where ${theirs} and not sending order by id limit ${batch} for update),
    erased as (
      update notifications n
      set recipient_masked = '${erasedText}', recipient_index = '${erasedText}', payload = null, metadata = null, retryable = false,
          status = case when ${waits} then 'failed' else n.status end,
          failure_reason = case when ${waits} then 'recipient_erased' else n.failure_reason end,
          next_attempt_at = case when ${waits} then null else n.next_attempt_at end,
          revision = n.revision + (${waits})::int, updated_at = case when ${waits} then now() else n.updated_at end
      where n.id = any(array(select id from theirs))
      returning n.*, old.status as old_status
    ), words as (
      update attempts set provider_message = null, provider_message_id = null
      where notification_id = any(array(select id from erased))
    ), tails as (
      delete from hand_off_tails where recipient_index = $2 and last_id = any(array(select id from erased))
    ), facts as (${factsInto('erased where status <> old_status')})
    select count(*)::int as count from erased`,
}

/** @returns how many there were */
export async function eraseNotifications(db: Queries, { tenantId, index }: Person): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(erase, [tenantId, index])
  return row!.count
}

const suppressed = (forgetStops: boolean) =>
  `tenant_id = $1 and recipient_index = $2 ${forgetStops ? '' : `and recipient_masked <> '${erasedText}'`}`

export async function countSuppressions(db: Queries, { tenantId, index, forgetStops }: Person): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(
    `select count(*)::int as count from suppressions where ${suppressed(forgetStops)}`,
    [tenantId, index],
  )
  return row!.count
}

/** A suppression keeps its index alone, so that the person stays suppressed. @returns how many there were */
export async function eraseSuppressions(db: Queries, { tenantId, index, forgetStops }: Person): Promise<number> {
  const change = forgetStops ? 'delete from suppressions' : `update suppressions set recipient_masked = '${erasedText}'`
  return (await db.runLong(`${change} where ${suppressed(forgetStops)} returning 1`, [tenantId, index])).length
}
