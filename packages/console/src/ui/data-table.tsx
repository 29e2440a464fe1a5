import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useHotkeys } from './hotkeys.ts'
import { type Column, cellsOf, SkeletonRows, TableRow } from './table-row.tsx'

export type { Column }

const features = tableFeatures({})

/** The row that was opened last, by the label of its list, so that it is selected after returning from its page. */
const lastOpened = new Map<string, string>()

export interface DataTableProps<Row extends RowData> {
  /** The accessible name of the table. */
  label: string
  columns: readonly Column<Row>[]
  /** undefined during the first load. */
  rows: readonly Row[] | undefined
  rowId: (row: Row) => string
  /** The action of `Enter` and of a click. Without it rows cannot be focused, and `j` and `k` do nothing. */
  onOpen?: (row: Row) => void
  /** The row whose drawer is open; `j` and `k` move it. */
  openId?: string | undefined
  /** Shown if there are no rows. */
  empty: ReactNode
  /** Rows of the skeleton. */
  expected?: number
}

/** A list of rows. `j` and `k` move, `Enter` opens; the selected row is the one that Tab reaches. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, onOpen, openId, empty, expected = 12 } = props
  const [chosen, setChosen] = useState(() => lastOpened.get(label))
  const body = useRef<HTMLTableSectionElement>(null)
  const returnTo = useRef<string>(undefined)
  const definitions = useMemo(
    () => columns.map(({ id, header }): ColumnDef<typeof features, Row> => ({ id, header })),
    [columns],
  )
  const cells = useMemo(() => cellsOf(columns), [columns])
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
  // A closed drawer returns the focus to the row that opened it, although `j` may have selected another one.
  useEffect(() => {
    if (openId === undefined && lastOpen.current !== undefined) {
      returnTo.current = lastOpen.current
      focusRow(lastOpen.current)
    }
    lastOpen.current = openId
  }, [openId])
  const hasRows = rows !== undefined
  const focusLastOpened = useEffectEvent(() => {
    if (chosen !== undefined && openId === undefined && document.activeElement === document.body) focusRow(chosen)
  })
  useEffect(() => {
    if (hasRows) focusLastOpened()
  }, [hasRows])
  const onFocus = ({ target }: FocusEvent) => {
    const id = idOf(target)
    if (id === undefined) return
    const wanted = returnTo.current
    setChosen(wanted ?? id)
    if (wanted === undefined || wanted === id) return
    returnTo.current = undefined
    focusRow(wanted)
  }
  const onPointerDown = () => {
    returnTo.current = undefined
  }
  const open = (target: EventTarget) => {
    const id = idOf(target)
    const row = data.find((one) => rowId(one) === id)
    if (!row || id === undefined) return
    lastOpened.set(label, id)
    onOpen?.(row)
  }
  const onClick = ({ target }: MouseEvent) => {
    if (isOwnClick(target)) open(target)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLTableRowElement)) return
    event.preventDefault()
    open(event.target)
  }
  useHotkeys(onOpen ? { j: () => move(1), k: () => move(-1) } : {}, { inDialogs: openId !== undefined })

  if (rows?.length === 0) return <>{empty}</>
  return (
    <table aria-label={label} aria-busy={!rows} className="w-full border-collapse">
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id} className="border-b border-line">
            {group.headers.map((header, at) => (
              <th key={header.id} className={`h-8 text-xs font-medium text-faint ${cells[at]?.className}`}>
                <table.FlexRender header={header} />
              </th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody ref={body} onFocus={onFocus} onPointerDown={onPointerDown} onClick={onClick} onKeyDown={onKeyDown}>
        {rows ? null : <SkeletonRows cells={cells} count={expected} />}
        {table.getRowModel().rows.map(({ id, original }, at) => (
          <TableRow
            key={id}
            id={id}
            row={original}
            cells={cells}
            opens={onOpen !== undefined}
            isReachable={onOpen !== undefined && (active === at || (active < 0 && at === 0))}
            isActive={id === activeId}
          />
        ))}
      </tbody>
    </table>
  )
}

const closest = (target: EventTarget, selector: string) =>
  target instanceof Element ? target.closest<HTMLElement>(selector) : null

/** The id of the row in which an event occurred. */
const idOf = (target: EventTarget): string | undefined => closest(target, 'tr')?.dataset.row

/** Buttons and links in a row have their own actions, and selecting text opens nothing. */
const isOwnClick = (target: EventTarget): boolean =>
  closest(target, 'button, a, input, label') === null && document.getSelection()?.type !== 'Range'
