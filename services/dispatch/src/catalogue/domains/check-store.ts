import { claimDueSql, type Database, type Run } from '@notify/database'
import type { Config } from '../../config.ts'
import type { Tables } from '../../db/schema.ts'
import { type DomainRow, domainColumns, enqueueDomainChange, findDomain } from './domain-store.ts'
import { type Findings, type Judged, judgeDomain, nextCheckMs } from './judge-domain.ts'

/** A domain to check, and the start of the check by the clock of Postgres. */
export interface StartedCheck {
  row: DomainRow
  startedAt: string
}

type Started = DomainRow & { started_at: string }
const startedOf = ({ started_at, ...row }: Started): StartedCheck => ({ row, startedAt: started_at })

export async function startCheck(run: Run, tenantId: string, id: string): Promise<StartedCheck | undefined> {
  const [row] = await run<Started>(
    `select ${domainColumns}, clock_timestamp()::text as started_at from domains d where d.id = $1 and d.tenant_id = $2`,
    [id, tenantId],
  )
  return row && startedOf(row)
}

const dueDomains = { table: 'domains', key: ['id'], due: 'next_check_at' }
const leaseMs = 120_000

/** Claims due domains; a claim expires if the process ends before it saves the result. */
export async function startDueChecks(run: Run, limit: number): Promise<StartedCheck[]> {
  const rows = await run<Started>(
    `${claimDueSql(dueDomains, { limit: '$1', leaseMs })}
     select ${domainColumns}, clock_timestamp()::text as started_at from claimed d`,
    [limit],
  )
  return rows.map(startedOf)
}

export interface SavedCheck {
  row: DomainRow
  /** Whether the status changed. */
  changed: boolean
  /** Whether the records are correct, but another tenant has verified the domain. */
  taken: boolean
}

const takenError =
  'The records are right, but another account has this domain verified: a domain has one owner at a time. It is verified here once it is removed there, or once its records there are gone.'

/**
 * Saves the result of a check with its event. The result of an older check never replaces a newer one.
 * @returns the domain's state; undefined when it was deleted meanwhile
 */
export function saveCheck(
  db: Database<Tables>,
  config: Config,
  { row: { id, tenant_id }, startedAt }: StartedCheck,
  findings: Findings,
): Promise<SavedCheck | undefined> {
  return db.transaction(async (run) => {
    const [before] = await run<DomainRow & { since_ms: number }>(
      `select ${domainColumns}, (extract(epoch from now() - d.status_since) * 1000)::float8 as since_ms from domains d
       where d.id = $1 and (d.check_started_at is null or d.check_started_at < $2::timestamptz) for update of d`,
      [id, startedAt],
    )
    if (!before) {
      const newer = await findDomain(run, tenant_id, id)
      return newer && { row: newer, changed: false, taken: false }
    }
    const judged = judgeDomain({ status: before.status, states: before.record_states }, findings)
    const taken = judged.status === 'verified' && (await isTaken(run, before))
    const after = taken ? withoutOwnership(judged, before) : judged
    const changed = after.status !== before.status
    const unanswered = Object.values(findings).some(({ verdict }) => verdict === 'unknown')
    const waitMs = nextCheckMs(
      { status: after.status, sinceMs: changed ? 0 : before.since_ms, unanswered },
      { first: config.DOMAIN_RECHECK_FIRST, longest: config.DOMAIN_RECHECK },
    )
    const row = await update(run, id, startedAt, after, changed, waitMs)
    if (changed) await enqueueDomainChange(run, row, row.status)
    if (row.status === 'verified') await retryIdentities(run, id, changed)
    return { row, changed, taken }
  })
}

/** Takes an advisory lock on the name, so that tenants verify it one at a time. */
async function isTaken(run: Run, { id, domain }: DomainRow): Promise<boolean> {
  await run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`domains ${domain}`])
  const rows = await run(`select 1 from domains where domain = $1 and status = 'verified' and id <> $2`, [domain, id])
  return rows.length > 0
}

function withoutOwnership({ states }: Judged, before: DomainRow): Judged {
  const dkim = { ...states.dkim!, error: takenError }
  return { status: before.status === 'degraded' ? 'degraded' : 'pending', states: { ...states, dkim } }
}

async function update(
  run: Run,
  id: string,
  startedAt: string,
  { status, states }: Judged,
  changed: boolean,
  waitMs: number,
): Promise<DomainRow> {
  const [row] = await run<DomainRow>(
    `with d as (
       update domains set status = $3, record_states = $4, check_started_at = $2, last_checked_at = now(),
         next_check_at = now() + $6 * interval '1 millisecond',
         revision = revision + case when $5 then 1 else 0 end,
         status_since = case when $5 then now() else status_since end,
         verified_at = case when $5 and $3 = 'verified' then now() else verified_at end
       where id = $1 returning *
     ) select ${domainColumns} from d`,
    [id, startedAt, status, JSON.stringify(states), changed, waitMs],
  )
  return row!
}

/** Retries registration with carriers: at once for a newly verified domain, and daily as a check. */
async function retryIdentities(run: Run, domainId: string, proven: boolean): Promise<void> {
  await run(
    `update domain_identities set next_try_at = now()
     where domain_id = $1 and wanted and leased_until is null
       and ($2 or (next_try_at is null and synced_at < now() - interval '20 hours'))`,
    [domainId, proven],
  )
}
