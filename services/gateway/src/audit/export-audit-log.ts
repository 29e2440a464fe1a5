import type { exportAuditLog as contract } from '@notify/contracts'
import { type Handler, StreamedReply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { type AuditFilter, type AuditRow, describeAuditEntry, listAuditRows } from './audit-store.ts'

const batch = 500

/** Every entry that matches, one JSON object a line. The next batch is read when the caller has taken the last. */
export const exportAuditLog: Handler<RouteContext, typeof contract> = async ({ db }, { query, principal }) => {
  const filter: AuditFilter = { tenantId: principal.tenant_id, ...query }
  const read = (after: string | undefined) => listAuditRows(db.run, filter, { after, limit: batch })
  // Read before the headers are sent, so that an outage is a problem and not a response that breaks off.
  return new StreamedReply(linesOf(await read(undefined), read), { 'content-type': 'application/x-ndjson' })
}

async function* linesOf(first: AuditRow[], read: (after: string) => Promise<AuditRow[]>): AsyncGenerator<string> {
  for (let rows = first; rows.length > 0; rows = rows.length < batch ? [] : await read(rows.at(-1)!.id)) {
    yield rows.map((row) => `${JSON.stringify(describeAuditEntry(row))}\n`).join('')
  }
}
