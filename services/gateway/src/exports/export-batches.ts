import type { OutgoingHttpHeaders } from 'node:http'
import { type IsAwaited, noLongerAwaited, StreamedReply } from '@notify/service-kit'
import type { OpenExports } from './open-exports.ts'

const batch = 500

interface Export<Row> {
  exports: OpenExports
  tenantId: string
  isAwaited: IsAwaited
  /** Reads at most the given number of rows after the last one of a batch, or the first ones. */
  read: (last: Row | undefined, limit: number) => Promise<Row[]>
  head?: string
  line: (row: Row) => string
  headers: OutgoingHttpHeaders
}

/** Sends all rows as a stream: one batch is in memory, and none is read before the caller has taken the last. */
export async function exportBatches<Row>(options: Export<Row>): Promise<StreamedReply> {
  const { exports, tenantId, isAwaited, read, headers } = options
  const end = exports.begin(tenantId)
  try {
    // Read before the headers are sent, so that an outage is a problem response and not a truncated one.
    const first = await read(undefined, batch)
    if (!isAwaited()) throw noLongerAwaited()
    return new StreamedReply(textOf(first, options), headers, end)
  } catch (error) {
    end()
    throw error
  }
}

async function* textOf<Row>(first: Row[], { read, head = '', line }: Export<Row>): AsyncGenerator<string> {
  if (head !== '') yield head
  for (let rows = first; rows.length > 0; rows = rows.length < batch ? [] : await read(rows.at(-1), batch)) {
    yield rows.map(line).join('')
  }
}
