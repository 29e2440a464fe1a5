import { cast, column, defineStatement, erasedText, type Person, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

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

const erase = defineStatement({
  name: 'erase-transactions',
  isPrepared: false,
  text: `
    with theirs as (
      select notification_id, transaction_id from messages
      where tenant_id = $1 and recipient_index = $2 order by created_at limit ${batch}
    ), transaction as (
      update transactions
      set recipient = null, recipient_masked = '${erasedText}', recipient_index = '${erasedText}', prefix = null, code_proof = null, replaced = null
      where id = any(array(select transaction_id from theirs order by 1))
    )
    update messages set request = null, due_at = null, recipient_index = '${erasedText}'
    where notification_id = any(array(select notification_id from theirs order by 1)) returning 1 as erased`,
  columns: { erased: column.integer() },
})

/** Unused codes no longer verify. @returns the number of messages */
export async function eraseTransactions(db: Queries, { tenantId, index }: Person): Promise<number> {
  return (await db.runLong(erase, [tenantId, index])).length
}
