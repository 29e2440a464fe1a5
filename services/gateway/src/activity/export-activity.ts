import { type exportActivity as contract, type ExportedItem, exportedColumns } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { exportBatches } from '../exports/export-batches.ts'
import { readFilter } from './activity-filter.ts'
import { csvLine } from './csv-line.ts'
import { withDetails } from './exported-details.ts'
import { listItems } from './item-store.ts'

const formats = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: csvLine(exportedColumns),
    line: (item: ExportedItem) => csvLine(exportedColumns.map((column) => item[column])),
  },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    line: (item: ExportedItem) => `${JSON.stringify(item)}\n`,
  },
}

/** Every item that matches, newest first. */
export const exportActivity: Handler<RouteContext, typeof contract> = (context, { query, principal, isAwaited }) => {
  const { db, blindIndex, exports } = context
  const tenantId = principal.tenant_id
  const filter = readFilter(blindIndex, tenantId, query)
  const { type, head, line } = formats[query.format]
  return exportBatches({
    ...{ exports, tenantId, isAwaited, head, line },
    // Items that arrive meanwhile are newer than the first batch, and not part of the export.
    async read(last: ExportedItem | undefined, limit) {
      const after = last && { createdAt: last.created_at, id: last.transaction_id }
      return withDetails(context, tenantId, await listItems(db, filter, { after, limit }))
    },
    headers: { 'content-type': type, 'content-disposition': `attachment; filename="activity.${query.format}"` },
  })
}
