import { cast, column, defineStatement, erasedReasonSql, erasedText, type Person, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'
import { factsInto } from '../transactions/fact-sql.ts'

const batch = 200

export async function countTransactions(db: Queries, { tenantId, index = '' }: Person): Promise<number> {
  const [row] = await db.runLong(
    build
      .selectFrom('messages')
      .select(cast(column.integer(), sql`count(*)`).as('count'))
      .where('tenant_id', '=', tenantId)
      .where('recipient_index', '=', index),
  )
  return row!.count
}

/** The scheduler ends codes by their recipient, which is gone. */
const isOpen = `t.status in ('pending', 'sent', 'delivered')`

const erase = defineStatement({
  name: 'erase-transactions',
  isPrepared: false,
  text: `
    with theirs as (
      select notification_id, transaction_id from messages
      where tenant_id = $1 and recipient_index = $2 order by created_at limit ${batch}
    ), erased as (
      update transactions t
      set recipient = null, recipient_masked = '${erasedText}', recipient_index = '${erasedText}', prefix = null, code_proof = null, replaced = null,
        failure_reason = ${erasedReasonSql('t.failure_reason')},
        status = case when ${isOpen} then 'expired' else t.status end, revision = t.revision + (${isOpen})::int,
        updated_at = case when ${isOpen} then clock_timestamp() else t.updated_at end
      where id = any(array(select transaction_id from theirs order by 1))
      returning t.*, old.status as old_status
    ), facts as (${factsInto('erased where status <> old_status')})
    update messages set request = null, due_at = null, recipient_index = '${erasedText}'
    where notification_id = any(array(select notification_id from theirs order by 1)) returning 1 as erased`,
  columns: { erased: column.integer() },
})

/** Unused codes no longer verify. @returns the number of messages */
export async function eraseTransactions(db: Queries, { tenantId, index }: Person): Promise<number> {
  return (await db.runLong(erase, [tenantId, index])).length
}
