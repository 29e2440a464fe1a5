import type { RowData } from '@tanstack/react-table'
import { mostSearched } from '../api/searchable-list.ts'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { ErrorState } from './error-state.tsx'
import { numberText } from './number-text.ts'
import { OldNote } from './old-note.tsx'
import { Pager, useCursor } from './pager.tsx'
import { Panel } from './panel.tsx'

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
      <OldNote of={list} />
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
