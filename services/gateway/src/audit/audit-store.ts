import type { AuditEntry } from '@notify/contracts'
import type { Run, Statement } from '@notify/database'

const insert: Statement = {
  name: 'insert-audit-entry',
  text: `insert into audit_log (id, tenant_id, application_id, occurred_at, actor_kind, actor_id, action, resource_type,
           resource_id, before, after, request_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (id) do nothing`,
}

/** Appends an entry to the audit log; one that is there already stays as it is. */
export async function appendAuditEntry(run: Run, entry: AuditEntry): Promise<void> {
  const { audit_id, tenant_id, application_id, occurred_at, actor, action, resource, before, after, request_id } = entry
  await run(insert, [
    ...[audit_id, tenant_id, application_id, occurred_at, actor.kind, actor.id, action, resource.type, resource.id],
    ...[before, after].map((fields) => fields && JSON.stringify(fields)),
    request_id,
  ])
}
