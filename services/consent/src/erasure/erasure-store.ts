import type { Person, Queries, Run } from '@notify/database'

const batch = 100
const modes = `mode = any('{live,test}')`

interface Entry {
  id: string
  tenant_id: string
}

export async function countEntries(db: Queries, { tenantId, index }: Person): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(
    `select count(*)::int as count from consent_entries where tenant_id = $1 and ${modes} and recipient_index = $2`,
    [tenantId, index],
  )
  return row!.count
}

/** The next entries of a person, locked. */
export function lockEntries(run: Run, { tenantId, index }: Person): Promise<Entry[]> {
  return run<Entry>(
    `select id, tenant_id from consent_entries where tenant_id = $1 and ${modes} and recipient_index = $2
     order by id limit ${batch} for update`,
    [tenantId, index],
  )
}

/** Entries keep what was done and when; `details` no longer identify a person. */
export async function eraseEntries(run: Run, entries: readonly { id: string; details: Buffer }[]): Promise<void> {
  await run(
    `update consent_entries e set recipient_index = 'erased ' || e.id, evidence_index = null, origin = null, details = t.details
     from unnest($1::text[], $2::bytea[]) as t (id, details) where e.id = t.id`,
    [entries.map(({ id }) => id), entries.map(({ details }) => details)],
  )
}

const consents = (forgetStops: boolean) =>
  `tenant_id = $1 and ${modes} and recipient_index = $2
   ${forgetStops ? '' : `and (not marketing_stopped and status <> 'revoked' or entry_id is not null)`}`

export async function countConsents(db: Queries, { tenantId, index, forgetStops }: Person): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(
    `select count(*)::int as count from consents where ${consents(forgetStops)}`,
    [tenantId, index],
  )
  return row!.count
}

/** A stop keeps its index alone, so that it stays a stop. @returns how many rows there were */
export async function eraseConsents(db: Queries, { tenantId, index, forgetStops }: Person): Promise<number> {
  const rows = await db.runLong(
    `with gone as (
       delete from consents
       where tenant_id = $1 and ${modes} and recipient_index = $2 and ($3 or not marketing_stopped and status <> 'revoked')
       returning 1
     ), kept as (
       update consents set entry_id = null
       where tenant_id = $1 and ${modes} and recipient_index = $2 and entry_id is not null
         and not $3 and (marketing_stopped or status = 'revoked')
       returning 1
     )
     select 1 from gone union all select 1 from kept`,
    [tenantId, index, forgetStops],
  )
  return rows.length
}

interface UserRow {
  user_index: string
  phone: Buffer | null
}

/** A page of the users of a tenant. */
export function readUsers(db: Queries, tenantId: string, after: string): Promise<UserRow[]> {
  return db.runLong<UserRow>(
    'select user_index, phone from users where tenant_id = $1 and user_index > $2 order by user_index limit 500',
    [tenantId, after],
  )
}

/** @returns how many there were */
export async function deleteUsers(db: Queries, tenantId: string, indexes: readonly string[]): Promise<number> {
  const rows = await db.runLong(
    `with waiting as (delete from waiting_changes where tenant_id = $1 and user_index = any($2::text[]))
     delete from users where tenant_id = $1 and user_index = any($2::text[]) returning 1`,
    [tenantId, indexes],
  )
  return rows.length
}
