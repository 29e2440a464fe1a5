import type { exportActivity as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { exportBatches } from '../exports/export-batches.ts'
import { readFilter } from './activity-filter.ts'
import { csvLine } from './csv-line.ts'
import { type ActivityRow, listItems } from './item-store.ts'

const columns = [
  'transaction_id',
  'created_at',
  'application_name',
  'mode',
  'channel',
  'recipient_masked',
  'status',
  'failure_reason',
  'retryable',
  'retry_count',
  'locale',
  'broadcast_id',
] as const

const formats = {
  csv: { type: 'text/csv; charset=utf-8', head: csvLine(columns), line: (row: ActivityRow) => csvLine(cellsOf(row)) },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    line: (row: ActivityRow) => `${JSON.stringify({ ...row, created_at: row.created_at.toISOString() })}\n`,
  },
}

/** Every item that matches, newest first. */
export const exportActivity: Handler<RouteContext, typeof contract> = (
  { db, blindIndex, exports },
  { query, principal, isAwaited },
) => {
  const filter = readFilter(blindIndex, principal.tenant_id, query)
  const { type, head, line } = formats[query.format]
  return exportBatches({
    ...{ exports, tenantId: principal.tenant_id, isAwaited, head, line },
    // Items that arrive meanwhile are newer than the first batch, and not part of the export.
    read(last, limit) {
      const after = last && { createdAt: last.created_at.toISOString(), id: last.transaction_id }
      return listItems(db, filter, { after, limit })
    },
    headers: { 'content-type': type, 'content-disposition': `attachment; filename="activity.${query.format}"` },
  })
}

function cellsOf(row: ActivityRow): unknown[] {
  return columns.map((column) => (column === 'created_at' ? row.created_at.toISOString() : row[column]))
}
