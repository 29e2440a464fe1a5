import type { exportActivity as contract } from '@notify/contracts'
import { type Handler, Problem, StreamedReply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { readFilter } from './activity-filter.ts'
import { csvLine } from './csv-line.ts'
import { type ActivityRow, listItems } from './item-store.ts'

const batch = 500
/** At once in one process: each holds a batch in memory. */
const mostExports = 16

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
] as const

const formats = {
  csv: { type: 'text/csv; charset=utf-8', head: csvLine(columns), line: (row: ActivityRow) => csvLine(cellsOf(row)) },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    line: (row: ActivityRow) => `${JSON.stringify({ ...row, created_at: row.created_at.toISOString() })}\n`,
  },
}

/** Every item that matches, newest first, as a stream: one batch is in memory, and none is read before the last was taken. */
export const exportActivity: Handler<Context, typeof contract> = async (
  { db, blindIndex, metrics },
  { query, principal },
) => {
  if (metrics.openExports.now() >= mostExports) {
    throw new Problem('service_unavailable', 'Too many exports are under way; try again shortly', {
      headers: { 'Retry-After': '5' },
    })
  }
  const filter = readFilter(blindIndex, principal.tenant_id, query)
  const { type, head, line } = formats[query.format]
  // Items that come in meanwhile are newer than the first batch, and not part of the export.
  const first = await listItems(db, filter, { limit: batch })
  const batches = readBatches(first, (after) => listItems(db, filter, { after, limit: batch }))
  return new StreamedReply(metrics.openExports.during(textOf(batches, head, line)), {
    'content-type': type,
    'content-disposition': `attachment; filename="activity.${query.format}"`,
    'cache-control': 'no-store',
  })
}

type After = NonNullable<Parameters<typeof listItems>[2]['after']>

async function* readBatches(
  first: ActivityRow[],
  read: (after: After) => Promise<ActivityRow[]>,
): AsyncGenerator<ActivityRow[]> {
  for (let rows = first; rows.length > 0; ) {
    yield rows
    const last = rows.at(-1)!
    if (rows.length < batch) return
    rows = await read({ createdAt: last.created_at.toISOString(), id: last.transaction_id })
  }
}

async function* textOf(
  batches: AsyncIterable<ActivityRow[]>,
  head: string,
  line: (row: ActivityRow) => string,
): AsyncGenerator<string> {
  if (head !== '') yield head
  for await (const rows of batches) yield rows.map(line).join('')
}

function cellsOf(row: ActivityRow): unknown[] {
  return columns.map((column) => (column === 'created_at' ? row.created_at.toISOString() : row[column]))
}
