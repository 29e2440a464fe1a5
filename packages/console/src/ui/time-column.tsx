import type { RowData } from '@tanstack/react-table'
import type { Column } from './table-row.tsx'
import { Time } from './time.tsx'

/** A column that shows how long ago something was. */
export function timeColumn<Row extends RowData>(
  header: string,
  atOf: (row: Row) => string,
  { wide = false }: { wide?: boolean } = {},
): Column<Row> {
  const cell = (row: Row) => <Time at={atOf(row)} className="text-soft" />
  return { id: header, header, cell, align: 'right', wide }
}
