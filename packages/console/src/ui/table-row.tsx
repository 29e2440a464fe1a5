import type { RowData } from '@tanstack/react-table'
import { memo, type ReactNode } from 'react'

/** A column of a list: its heading, and what it shows of a row. */
export interface Column<Row extends RowData> {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Left out on a telephone. */
  wide?: boolean
  align?: 'right'
  /** Takes what is left of the width: always, on a telephone, or on wider screens. One column at a time. */
  grow?: 'always' | 'narrow' | 'wide'
}

const growth = {
  always: 'w-full max-w-0',
  narrow: 'max-md:w-full max-md:max-w-0 whitespace-nowrap',
  wide: 'md:w-full md:max-w-0',
}

export const cellClass = ({ wide, align, grow }: Column<never>) =>
  `px-3 first:pl-4 last:pr-4 ${wide ? 'max-md:hidden' : ''} ${align === 'right' ? 'text-right' : 'text-left'} ${grow ? growth[grow] : 'whitespace-nowrap'}`

interface TableRowProps<Row extends RowData> {
  id: string
  row: Row
  columns: readonly Column<Row>[]
  opens: boolean
  /** Tab leads to this row of the list. */
  isReachable: boolean
  isActive: boolean
}

/** Rendered again only when its own item or state changes; the table's body listens for all rows. */
export const TableRow = memo(function TableRow<Row extends RowData>(props: TableRowProps<Row>) {
  const { id, row, columns, opens, isReachable, isActive } = props
  return (
    <tr
      data-row={id}
      tabIndex={isReachable ? 0 : opens ? -1 : undefined}
      aria-current={isActive || undefined}
      className={`border-b border-line last:border-b-0 -outline-offset-2 ${opens ? 'cursor-pointer hover:bg-hover' : ''} ${isActive ? 'bg-selected' : ''}`}
    >
      {columns.map((column) => (
        <td key={column.id} className={`h-[38px] py-1 ${cellClass(column as never)}`}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row extends RowData>(props: TableRowProps<Row>) => ReactNode

export function SkeletonRows<Row extends RowData>({
  columns,
  count,
}: {
  columns: readonly Column<Row>[]
  count: number
}) {
  return Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
    <tr key={row} className="border-b border-line last:border-b-0">
      {columns.map((column) => (
        <td key={column.id} className={`h-[38px] ${cellClass(column as never)}`}>
          <span className="skeleton inline-block h-3.5 w-full min-w-12" />
        </td>
      ))}
    </tr>
  ))
}
