import { cast, column, erasedReasonSql, erasedText, type Person, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { isOfRecipient } from '../activity/access-path.ts'
import { build } from '../db/schema.ts'

const batch = 200
const count = cast(column.integer(), sql`count(*)`).as('count')

const itemsOf = ({ tenantId, index = '' }: Person) =>
  build
    .selectFrom('activity')
    .where(isOfRecipient(sql.ref('recipient_index'), index))
    .where('tenant_id', '=', tenantId)

export async function countActivity(db: Queries, person: Person): Promise<number> {
  const [row] = await db.runLong(itemsOf(person).select(count))
  return row!.count
}

/** @returns how many items there were */
export async function eraseActivity(db: Queries, person: Person): Promise<number> {
  const failure_reason = sql.raw<string | null>(erasedReasonSql('failure_reason'))
  const erased = { recipient_index: erasedText, recipient_masked: erasedText, retryable: false, failure_reason }
  const rows = await db.runLong(
    build
      .with('theirs', () => itemsOf(person).select('id').limit(batch))
      .with('locked', () =>
        build
          .selectFrom('activity')
          .select('id')
          .where('id', '=', sql<string>`any(array(select id from theirs))`)
          .orderBy('id')
          .forUpdate(),
      )
      .updateTable('activity')
      .set(erased)
      .where('id', '=', sql<string>`any(array(select id from locked))`)
      .returning('id'),
  )
  return rows.length
}

const areOf = ({ index = '' }: Person) => sql<boolean>`filters ->> 'recipient_index' = ${index}`

export async function countRetryJobs(db: Queries, person: Person): Promise<number> {
  const [row] = await db.runLong(
    build.selectFrom('retry_jobs').select(count).where('tenant_id', '=', person.tenantId).where(areOf(person)),
  )
  return row!.count
}

/** The filters of jobs, which end: nothing of the person may be retried any more. @returns how many there were */
export async function eraseRetryJobs(db: Queries, person: Person): Promise<number> {
  const erased = JSON.stringify({ recipient_index: erasedText, recipient_masked: erasedText })
  const rows = await db.runLong(
    build
      .updateTable('retry_jobs')
      .set({
        filters: sql<string>`filters || ${erased}::jsonb`,
        finished_at: sql<Date>`coalesce(finished_at, now())`,
        next_at: null,
      })
      .where('tenant_id', '=', person.tenantId)
      .where(areOf(person))
      .returning('id'),
  )
  return rows.length
}
