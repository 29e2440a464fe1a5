import type { Id } from '@notify/contracts'
import { cast, claimDueSql, column, defineStatement, lockName, type Queries, type Run } from '@notify/database'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import { build } from '../../db/schema.ts'
import {
  type DomainRow,
  domainColumns,
  domainColumnsSql,
  domainSelection,
  domainsOf,
  enqueueDomainChange,
  findDomain,
} from './domain-store.ts'
import { type Findings, type Judged, judgeDomain, nextCheckMs } from './judge-domain.ts'

/** A domain to check, and the start of the check by the clock of Postgres. */
export interface StartedCheck {
  row: DomainRow
  startedAt: string
}

type Started = DomainRow & { started_at: string }
const startedOf = ({ started_at, ...row }: Started): StartedCheck => ({ row, startedAt: started_at })

const startSql = 'clock_timestamp()::text'

export async function startCheck(run: Run, tenantId: Id<'ten'>, id: Id<'dom'>): Promise<StartedCheck | undefined> {
  const domain = domainsOf(tenantId).where('d.id', '=', id)
  const [row] = await run(domain.select(cast(column.text(), sql.raw(startSql)).as('started_at')))
  return row && startedOf(row)
}

/** Name servers that hang hold up a few domains of one tenant. */
const fair = { by: 'tenant_id', most: 3, inHand: '$2::text[]' }
const due = { table: 'domains', key: ['id'], due: 'next_check_at', fair }

const claim = defineStatement({
  name: 'claim-due-domains',
  text: `${claimDueSql(due, { limit: '$1', leaseMs: 120_000 })}
         select ${domainColumnsSql}, ${startSql} as started_at from claimed d`,
  columns: { ...domainColumns, started_at: column.text() },
})

/** Claims due domains, `most` with those in hand; a claim expires if the process ends before it saves the result. */
export async function startDueChecks(
  run: Run,
  most: number,
  inHand: readonly { row: Pick<DomainRow, 'tenant_id'> }[] = [],
): Promise<StartedCheck[]> {
  if (inHand.length >= most) return []
  return (await run(claim, [most - inHand.length, inHand.map(({ row }) => row.tenant_id)])).map(startedOf)
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
  db: Queries,
  config: Config,
  { row: { id, tenant_id }, startedAt }: StartedCheck,
  findings: Findings,
): Promise<SavedCheck | undefined> {
  return db.transaction(async (run) => {
    const [before] = await run(
      domainsOf(tenant_id)
        .select(cast(column.double(), sql`extract(epoch from now() - d.status_since) * 1000`).as('since_ms'))
        .where('d.id', '=', id)
        .where(sql<boolean>`(d.check_started_at is null or d.check_started_at < ${startedAt}::timestamptz)`)
        .forUpdate('d'),
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

/** Takes an advisory lock on the name, so that tenants verify it one at a time. A general plan needs the literal for its index. */
async function isTaken(run: Run, { id, domain }: DomainRow): Promise<boolean> {
  await lockName(run, `domains ${domain}`)
  const others = build.selectFrom('domains').select('id').where('domain', '=', domain).where('id', '<>', id)
  return (await run(others.where('status', '=', sql.lit('verified')))).length > 0
}

function withoutOwnership({ states }: Judged, before: DomainRow): Judged {
  const dkim = { ...states.dkim!, error: takenError }
  return { status: before.status === 'degraded' ? 'degraded' : 'pending', states: { ...states, dkim } }
}

async function update(
  run: Run,
  id: Id<'dom'>,
  startedAt: string,
  { status, states }: Judged,
  changed: boolean,
  waitMs: number,
): Promise<DomainRow> {
  const now = sql<Date>`now()`
  const [row] = await run(
    build
      .updateTable('domains as d')
      .set({ status, record_states: JSON.stringify(states), check_started_at: startedAt, last_checked_at: now })
      .set({ next_check_at: sql<Date>`now() + ${waitMs} * interval '1 millisecond'` })
      .$if(changed, (query) => query.set({ revision: sql<number>`d.revision + 1`, status_since: now }))
      .$if(changed && status === 'verified', (query) => query.set({ verified_at: now }))
      .where('d.id', '=', id)
      .returning(domainSelection),
  )
  return row!
}

/** Retries registration with carriers: at once for a newly verified domain, and daily as a check. */
async function retryIdentities(run: Run, domainId: Id<'dom'>, proven: boolean): Promise<void> {
  await run(
    build
      .updateTable('domain_identities')
      .set({ next_try_at: sql<Date>`now()` })
      .where('domain_id', '=', domainId)
      .where('wanted', '=', true)
      .where('leased_until', 'is', null)
      .$if(!proven, (query) =>
        query.where('next_try_at', 'is', null).where('synced_at', '<', sql<Date>`now() - interval '20 hours'`),
      ),
  )
}
