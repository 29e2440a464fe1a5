import { column, defineStatement, type Person, type Queries } from '@notify/database'

const erase = defineStatement({
  name: 'erase-consents',
  isPrepared: false,
  text: `
    with gone as (
      delete from consents
      where tenant_id = $1 and mode = any('{live,test}') and recipient_index = $2
        and ($3 or not marketing_stopped and status <> 'revoked')
      returning 1
    ), kept as (
      update consents set entry_id = null
      where tenant_id = $1 and mode = any('{live,test}') and recipient_index = $2 and entry_id is not null
        and not $3 and (marketing_stopped or status = 'revoked')
      returning 1
    )
    select 1 as erased from gone union all select 1 from kept`,
  columns: { erased: column.integer() },
})

/** A stop keeps its blind index, so that it stays effective. @returns how many rows there were */
export async function eraseConsents(db: Queries, { tenantId, index, forgetStops }: Person): Promise<number> {
  return (await db.runLong(erase, [tenantId, index, forgetStops])).length
}
