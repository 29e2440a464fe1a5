import { type AuditEntry, earliestId, type Id } from '@notify/contracts'
import { auditEntry, type Change, type Run } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

export type AuditRow = Selectable<Tables['audit_log']>

/** Appends an entry to the audit log; an existing one stays unchanged. */
export async function appendAuditEntry(run: Run, entry: AuditEntry): Promise<void> {
  const { audit_id, actor, resource, before, after, ...fields } = entry
  await run(
    build
      .insertInto('audit_log')
      .values({
        ...{ id: audit_id, ...fields, actor_kind: actor.kind, actor_id: actor.id },
        ...{ resource_type: resource.type, resource_id: resource.id },
        before: before && JSON.stringify(before),
        after: after && JSON.stringify(after),
      })
      .onConflict((known) => known.column('id').doNothing()),
  )
}

/** Records a change of the gateway's own data in its transaction: the audit log is in the same schema. */
export async function recordOwnAudit(run: Run, change: Change): Promise<void> {
  const entry = auditEntry(change)
  if (entry) await appendAuditEntry(run, entry)
}

export interface AuditFilter {
  tenantId: Id<'ten'>
  application_id?: Id<'app'> | undefined
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
  { after, limit }: { after: Id<'aud'> | undefined; limit: number },
): Promise<AuditRow[]> {
  let rows = build.selectFrom('audit_log').selectAll().where('tenant_id', '=', tenantId)
  for (const column of equalities) {
    const wanted = filter[column]
    if (wanted !== undefined) rows = rows.where(column, '=', wanted)
  }
  if (from) rows = rows.where('id', '>=', earliestOf(from))
  if (to) rows = rows.where('id', '<', earliestOf(to))
  if (after) rows = rows.where('id', '<', after)
  return run(rows.orderBy('id', 'desc').limit(limit))
}

const earliestOf = (time: string) => earliestId('aud', Math.max(0, Date.parse(time)))

/** An entry as returned to operators. */
export function describeAuditEntry(row: AuditRow): AuditEntry {
  return {
    audit_id: row.id,
    tenant_id: row.tenant_id,
    application_id: row.application_id,
    occurred_at: row.occurred_at.toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    resource: { type: row.resource_type, id: row.resource_id },
    before: row.before,
    after: row.after,
    request_id: row.request_id,
  }
}
