import type { RowData } from '@tanstack/react-table'
import { memo, type ReactNode } from 'react'

/** A column of a list: its heading, and its cell for a row. */
export interface Column<Row extends RowData> {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Omitted on a telephone. */
  wide?: boolean
  align?: 'right'
  /** Takes the remaining width: always, on a telephone, or on wider screens. One column at a time. */
  grow?: 'always' | 'narrow' | 'wide'
}

const growth = {
  always: 'w-full max-w-0',
  narrow: 'max-md:w-full max-md:max-w-0',
  wide: 'md:w-full md:max-w-0',
}

interface Cell<Row extends RowData> extends Column<Row> {
  className: string
}

/** The columns with the classes of their cells, which are the same in every row. */
export const cellsOf = <Row extends RowData>(columns: readonly Column<Row>[]): Cell<Row>[] =>
  columns.map((column, at) => {
    const { wide, align, grow } = column
    const place = [at === 0 && 'cell-first', at === columns.length - 1 && 'cell-last', align && `cell-${align}`]
    const classes = ['cell', ...place, wide && 'max-md:hidden', grow && growth[grow]]
    return { ...column, className: classes.filter(Boolean).join(' ') }
  })

interface TableRowProps<Row extends RowData> {
  id: string
  row: Row
  cells: readonly Cell<Row>[]
  opens: boolean
  /** Whether Tab focuses this row of the list. */
  isReachable: boolean
  isActive: boolean
}

/** Rendered again only when its item or state changes. The body of the table handles the events of all rows. */
export const TableRow = memo(function TableRow<Row extends RowData>(props: TableRowProps<Row>) {
  const { id, row, cells, opens, isReachable, isActive } = props
  return (
    <tr
      data-row={id}
      tabIndex={isReachable ? 0 : opens ? -1 : undefined}
      aria-current={isActive || undefined}
      className={`row ${opens ? 'cursor-pointer hover:bg-hover' : ''} ${isActive ? 'bg-selected' : ''}`}
    >
      {cells.map(({ id: column, className, cell }) => (
        <td key={column} className={className}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row extends RowData>(props: TableRowProps<Row>) => ReactNode

export function SkeletonRows<Row extends RowData>({ cells, count }: { cells: readonly Cell<Row>[]; count: number }) {
  return Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
    <tr key={row} className="row">
      {cells.map(({ id, className }) => (
        <td key={id} className={className}>
          <span className="skeleton inline-block h-3.5 w-full min-w-12" />
        </td>
      ))}
    </tr>
  ))
}
