import type { RowData } from '@tanstack/react-table'
import { useGatewayAway } from '../api/connection.ts'
import { mostSearched } from '../api/searchable-list.ts'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { ErrorState } from './error-state.tsx'
import { numberText } from './number-text.ts'
import { Pager, useCursor } from './pager.tsx'
import { Panel } from './panel.tsx'
import { Time } from './time.tsx'

export interface ListPanelProps<Row extends RowData> extends Omit<DataTableProps<Row>, 'rows'> {
  /** The query of the page that the address names. */
  list: {
    data: { items: readonly Row[]; next_cursor: string | null; isCut?: boolean } | undefined
    error: unknown
    /** When `data` was read. */
    dataUpdatedAt: number
    refetch: () => Promise<unknown>
  }
  /** The count over all pages, for example `12 items`. */
  count?: string | undefined
}

/** A list with its states (loading, empty, failed, old) and a link to the next page. */
export function ListPanel<Row extends RowData>({ list, count, ...table }: ListPanelProps<Row>) {
  const { data, error, refetch } = list
  const cursor = useCursor()
  const isOnePage = !data?.next_cursor && cursor === undefined && !(count && data?.items.length)
  return (
    <Panel>
      {/* Read only here: a query draws its page again when a value changes that was read. */}
      {error && data ? <Old error={error} at={list.dataUpdatedAt} /> : null}
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable {...table} rows={data?.items} />
      )}
      {data?.isCut ? (
        <p className="border-t border-line px-4 py-3 text-soft">
          Only the first {numberText(mostSearched)} items of the list were searched.
        </p>
      ) : null}
      {isOnePage ? null : <Pager next={data?.next_cursor} count={count} />}
    </Panel>
  )
}

/** Says how old a list is that could not be read again. While the gateway is away, the banner says it. */
function Old({ error, at }: { error: unknown; at: number }) {
  if (useGatewayAway()) return null
  return (
    <p role="status" className="border-b border-line bg-warn-fill px-4 py-2 text-warn [overflow-wrap:anywhere]">
      Read <Time at={new Date(at).toISOString()} />. It could not be read again:{' '}
      {error instanceof Error ? error.message : String(error)}
    </p>
  )
}
