import type { Id } from '@notify/contracts'
import { cast, column, defineStatement, type Person, type Queries, type Run } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const keep = defineStatement({
  name: 'keep-evidence',
  isPrepared: false,
  text: `
    insert into erased_evidence (tenant_id, mode, recipient_index, evidence_index)
    select tenant_id, mode, recipient_index, evidence_index from consent_entries
    where id = any($1) and evidence_index is not null order by 1, 2, 3, 4
    on conflict do nothing`,
})

/** Keeps the evidence of entries that are being erased, until it is known whether a stop stays. */
export async function keepEvidence(run: Run, ids: readonly Id<'optin'>[]): Promise<void> {
  await run(keep, [ids])
}

/** Without a stop the evidence is erased as well. */
const isLeft = ({ tenantId, index = '', forgetStops }: Person) =>
  sql<boolean>`tenant_id = ${tenantId} and mode = any('{live,test}') and recipient_index = ${index} and (${forgetStops} or not exists (
    select from consents c where c.tenant_id = erased_evidence.tenant_id and c.mode = erased_evidence.mode
      and c.recipient_index = erased_evidence.recipient_index and (c.marketing_stopped or c.status = 'revoked')))`

export async function countEvidence(db: Queries, person: Person): Promise<number> {
  const count = cast(column.integer(), sql`count(*)`).as('count')
  const [row] = await db.runLong(build.selectFrom('erased_evidence').select(count).where(isLeft(person)))
  return row!.count
}

/** Runs after the consents are erased. @returns how many rows there were */
export async function eraseEvidence(db: Queries, person: Person): Promise<number> {
  const gone = build.deleteFrom('erased_evidence').where(isLeft(person)).returning('mode')
  return (await db.runLong(gone)).length
}
