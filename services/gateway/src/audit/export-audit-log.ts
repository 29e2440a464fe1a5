import type { exportAuditLog as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { exportBatches } from '../exports/export-batches.ts'
import { type AuditFilter, type AuditRow, describeAuditEntry, listAuditRows } from './audit-store.ts'

/** Every entry that matches, newest first, one JSON object a line. */
export const exportAuditLog: Handler<RouteContext, typeof contract> = (
  { db, exports },
  { query, principal, isAwaited },
) => {
  const filter: AuditFilter = { tenantId: principal.tenant_id, ...query }
  return exportBatches({
    ...{ exports, tenantId: principal.tenant_id, isAwaited },
    read: (last: AuditRow | undefined, limit) => listAuditRows(db.run, filter, { after: last?.id, limit }),
    line: (row) => `${JSON.stringify(describeAuditEntry(row))}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  })
}
