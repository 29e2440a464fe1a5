import { column, defineStatement, type Person, type Queries } from '@notify/database'
import { lockConsents } from './erasure-store.ts'

const ofPerson = `tenant_id = $1 and mode = any('{live,test}') and recipient_index = $2`

/** An entry that was added meanwhile is erased first: the next one is numbered by the consent. */
const hasNoEntry = `not exists (select from consent_entries e
  where e.tenant_id = c.tenant_id and e.mode = c.mode and e.recipient_index = c.recipient_index)`

const erase = defineStatement({
  name: 'erase-consents',
  isPrepared: false,
  text: `
    with gone as (
      delete from consents c where ${ofPerson} and ($3 or not marketing_stopped and status <> 'revoked') and ${hasNoEntry}
      returning 1
    ), kept as (
      update consents c
      set entry_id = null, status = case when status = 'active' then 'none' else status end, agreed_at = null
      where ${ofPerson} and (entry_id is not null or status = 'active') and not $3
        and (marketing_stopped or status = 'revoked') and ${hasNoEntry}
      returning 1
    )
    select 1 as erased from gone union all select 1 from kept`,
  columns: { erased: column.integer() },
})

/**
 * A stop keeps its blind index, so that it stays effective; an opt-in is erased. Runs after the entries are erased.
 * @returns how many rows there were
 */
export function eraseConsents(db: Queries, person: Person): Promise<number> {
  const { tenantId, index, forgetStops } = person
  return db.transaction(async (run) => {
    await lockConsents(run, person)
    return (await run(erase, [tenantId, index, forgetStops])).length
  })
}
