import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { useHotkeys } from './hotkeys.ts'

const features = tableFeatures({})

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

interface DataTableProps<Row extends RowData> {
  /** Read out as the table's name. */
  label: string
  columns: readonly Column<Row>[]
  /** undefined while they are loaded for the first time. */
  rows: readonly Row[] | undefined
  rowId: (row: Row) => string
  /** What `Enter` and a click do. */
  onOpen?: (row: Row) => void
  /** The row whose drawer is open; `j` and `k` move it. */
  openId?: string | undefined
  /** Shown in place of the rows when there are none. */
  empty: ReactNode
  /** Rows of the skeleton. */
  expected?: number
}

const growth = {
  always: 'w-full max-w-0',
  narrow: 'max-md:w-full max-md:max-w-0 whitespace-nowrap',
  wide: 'md:w-full md:max-w-0',
}

const cellClass = ({ wide, align, grow }: Column<never>) =>
  `px-3 first:pl-4 last:pr-4 ${wide ? 'max-md:hidden' : ''} ${align === 'right' ? 'text-right' : 'text-left'} ${grow ? growth[grow] : 'whitespace-nowrap'}`

/** A list of rows. `j` and `k` move, `Enter` opens; the selected row is the one that Tab reaches. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, onOpen, openId, empty, expected = 12 } = props
  const [chosen, setChosen] = useState<string>()
  const body = useRef<HTMLTableSectionElement>(null)
  const returnTo = useRef<string>(undefined)
  const definitions = useMemo(() => columns.map((column) => definitionOf(column)), [columns])
  const data = useMemo(() => (rows ? [...rows] : []), [rows])
  const table = useTable({ features, columns: definitions, data, getRowId: rowId })
  const activeId = openId ?? chosen
  const active = data.findIndex((row) => rowId(row) === activeId)

  const move = (step: number) => {
    const row = data[Math.max(0, Math.min(data.length - 1, active + step))]
    if (!row) return
    returnTo.current = undefined
    setChosen(rowId(row))
    if (openId !== undefined) onOpen?.(row)
    const element = body.current?.rows.item(data.indexOf(row))
    element?.scrollIntoView({ block: 'nearest' })
    if (openId === undefined) element?.focus()
  }
  const lastOpen = useRef(openId)
  const focusRow = useEffectEvent((id: string) => {
    body.current?.rows.item(data.findIndex((row) => rowId(row) === id))?.focus()
  })
  // A drawer that has closed gives the focus back to the row that opened it, though `j` has led to another one since.
  useEffect(() => {
    if (openId === undefined && lastOpen.current !== undefined) {
      returnTo.current = lastOpen.current
      focusRow(lastOpen.current)
    }
    lastOpen.current = openId
  }, [openId])
  const takeFocus = (id: string) => {
    const wanted = returnTo.current
    setChosen(wanted ?? id)
    if (wanted === undefined || wanted === id) return
    returnTo.current = undefined
    focusRow(wanted)
  }
  useHotkeys({ j: () => move(1), k: () => move(-1) }, { inDialogs: openId !== undefined })

  if (rows?.length === 0) return <>{empty}</>
  return (
    <table aria-label={label} aria-busy={!rows} className="w-full border-collapse">
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id} className="border-b border-line">
            {group.headers.map((header, at) => (
              <th key={header.id} className={`h-8 text-xs font-medium text-faint ${cellClass(columns[at] as never)}`}>
                <table.FlexRender header={header} />
              </th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody ref={body}>
        {rows ? null : <SkeletonRows columns={columns} count={expected} />}
        {table.getRowModel().rows.map((row, at) => (
          <tr
            key={row.id}
            data-row={row.id}
            tabIndex={onOpen && (active === at || (active < 0 && at === 0)) ? 0 : -1}
            aria-current={row.id === activeId || undefined}
            onFocus={() => takeFocus(row.id)}
            onPointerDown={() => {
              returnTo.current = undefined
            }}
            onClick={(event) => isOwnClick(event) && onOpen?.(row.original)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.target !== event.currentTarget) return
              event.preventDefault()
              onOpen?.(row.original)
            }}
            className={`border-b border-line -outline-offset-2 ${onOpen ? 'cursor-pointer hover:bg-hover' : ''} ${row.id === activeId ? 'bg-selected' : ''}`}
          >
            {row.getAllCells().map((cell, column) => (
              <td key={cell.id} className={`h-[38px] py-1 ${cellClass(columns[column] as never)}`}>
                <table.FlexRender cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function definitionOf<Row extends RowData>({ id, header, cell }: Column<Row>): ColumnDef<typeof features, Row> {
  return { id, header, cell: ({ row }) => cell(row.original) }
}

/** Buttons and links in a row act for themselves, and one who selects text opens nothing. */
function isOwnClick({ target }: { target: EventTarget }): boolean {
  const isControl = target instanceof Element && target.closest('button, a, input, label') !== null
  return !isControl && document.getSelection()?.type !== 'Range'
}

function SkeletonRows<Row extends RowData>({ columns, count }: { columns: readonly Column<Row>[]; count: number }) {
  return Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
    <tr key={row} className="border-b border-line">
      {columns.map((column) => (
        <td key={column.id} className={`h-[38px] ${cellClass(column as never)}`}>
          <span className="skeleton inline-block h-3.5 w-full min-w-12" />
        </td>
      ))}
    </tr>
  ))
}
