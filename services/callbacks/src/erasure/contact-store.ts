import type { Id } from '@notify/contracts'
import { column, defineStatement, pick, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'
import { identified } from '../records/callback-store.ts'

const ofTenant = `status = '${identified}' and provider_id in (select id from providers where tenant_id = $1)`

const count = defineStatement({
  name: 'count-identified-contacts',
  isPrepared: false,
  text: `select count(*)::int as count from received_callbacks where ${ofTenant}`,
  columns: { count: column.integer() },
})

export async function countContacts(db: Queries, tenantId: Id<'ten'>): Promise<number> {
  const [row] = await db.runLong(count, [tenantId])
  return row!.count
}

const forgetSome = defineStatement({
  name: 'forget-identified-contacts',
  isPrepared: false,
  text: `
    delete from received_callbacks where ${ofTenant} and provider_message_id = any(array(
      select provider_message_id from received_callbacks where ${ofTenant} limit 1000))
    returning provider_id`,
  columns: pick(tables.received_callbacks, 'provider_id'),
})

/** A batch at a time. @returns how many there were */
export async function forgetContacts(db: Queries, tenantId: Id<'ten'>): Promise<number> {
  let total = 0
  for (;;) {
    const { length } = await db.runLong(forgetSome, [tenantId])
    if (length === 0) return total
    total += length
  }
}
