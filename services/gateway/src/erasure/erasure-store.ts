import { erasedText, type Person, type Queries } from '@notify/database'
import { isOfRecipient } from '../activity/access-path.ts'

const batch = 200

const theirs = `${isOfRecipient('recipient_index', '$2')} and tenant_id = $1`

const valuesOf = ({ tenantId, index }: Person) => [tenantId, index]

export async function countActivity(db: Queries, person: Person): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(
    `select count(*)::int as count from activity where ${theirs}`,
    valuesOf(person),
  )
  return row!.count
}

/** @returns how many items there were */
export async function eraseActivity(db: Queries, person: Person): Promise<number> {
  const rows = await db.runLong(
    `with theirs as (
       select id from activity where ${theirs} limit ${batch}
     ), locked as (
       select id from activity where id = any(array(select id from theirs)) order by id for update
     )
     update activity set recipient_index = '${erasedText}', recipient_masked = '${erasedText}', retryable = false
     where id = any(array(select id from locked)) returning 1`,
    valuesOf(person),
  )
  return rows.length
}

const theirJobs = `tenant_id = $1 and filters ->> 'recipient_index' = $2`

export async function countRetryJobs(db: Queries, person: Person): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(
    `select count(*)::int as count from retry_jobs where ${theirJobs}`,
    valuesOf(person),
  )
  return row!.count
}

/** The filters of jobs. @returns how many there were */
export async function eraseRetryJobs(db: Queries, person: Person): Promise<number> {
  const rows = await db.runLong(
    `update retry_jobs
     set filters = filters || '{"recipient_index": "${erasedText}", "recipient_masked": "${erasedText}"}'::jsonb
     where ${theirJobs} returning 1`,
    valuesOf(person),
  )
  return rows.length
}
