import { type AuditEntry, earliestId } from '@notify/contracts'
import { auditEntry, type Change, type Run, type Statement } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'

export type AuditRow = Selectable<Tables['audit_log']>

const insert: Statement = {
  name: 'insert-audit-entry',
  text: `insert into audit_log (id, tenant_id, application_id, occurred_at, actor_kind, actor_id, action, resource_type,
           resource_id, before, after, request_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (id) do nothing`,
}

/** Appends an entry to the audit log; an existing one stays unchanged. */
export async function appendAuditEntry(run: Run, entry: AuditEntry): Promise<void> {
  const { audit_id, tenant_id, application_id, occurred_at, actor, action, resource, before, after, request_id } = entry
  await run(insert, [
    ...[audit_id, tenant_id, application_id, occurred_at, actor.kind, actor.id, action, resource.type, resource.id],
    ...[before, after].map((fields) => fields && JSON.stringify(fields)),
    request_id,
  ])
}

/** Records a change of the gateway's own data in its transaction: the audit log is in the same schema. */
export async function recordOwnAudit(run: Run, change: Change): Promise<void> {
  const entry = auditEntry(change)
  if (entry) await appendAuditEntry(run, entry)
}

export interface AuditFilter {
  tenantId: string
  application_id?: string | undefined
  actor_id?: string | undefined
  action?: string | undefined
  resource_type?: string | undefined
  resource_id?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

const equalities = ['application_id', 'actor_id', 'action', 'resource_type', 'resource_id'] as const

/** A page of a tenant's entries, newest first. Ids are ordered by time. Each combination of filters has its own plan. */
export function listAuditRows(
  run: Run,
  { tenantId, from, to, ...filter }: AuditFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<AuditRow[]> {
  const values: unknown[] = [tenantId, limit]
  const conditions = ['tenant_id = $1']
  const where = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(`${condition} $${values.push(value)}`)
  }
  for (const column of equalities) where(`${column} =`, filter[column])
  where('id >=', from && earliestOf(from))
  where('id <', to && earliestOf(to))
  where('id <', after)
  return run<AuditRow>(`select * from audit_log where ${conditions.join(' and ')} order by id desc limit $2`, values)
}

const earliestOf = (time: string) => earliestId('aud', Math.max(0, Date.parse(time)))

/** An entry as returned to operators. */
export function describeAuditEntry(row: AuditRow): AuditEntry {
  return {
    audit_id: row.id as `aud_${string}`,
    tenant_id: row.tenant_id as `ten_${string}`,
    application_id: row.application_id as `app_${string}` | null,
    occurred_at: row.occurred_at.toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    resource: { type: row.resource_type, id: row.resource_id },
    before: row.before,
    after: row.after,
    request_id: row.request_id,
  }
}
