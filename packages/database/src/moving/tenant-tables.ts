import type { Client } from 'pg'

/** The connection of a move, in whose transaction it reads or writes. */
export type MovingClient = Client

/** A table whose rows move with their tenant to another cell. */
export interface MovedTable {
  table: string
  /** SQL condition on the rows of the tenant `$1`, whose applications are `$2`. Default: `tenant_id` is the tenant. */
  of?: string
  /** What a cell has one row of, if not the primary key: a row that was recreated under another id replaces the old one. */
  key?: readonly string[]
  /** Rows are never changed or deleted: an import only adds missing ones, and those that {@link erased} selects. */
  appendOnly?: true
  /** SQL condition on an append-only row of this name whose person was erased: it replaces what is known. */
  erased?: (row: string) => string
  /** SQL condition under which the known row of this cell, such as a STOP that was forwarded during a move, stays as it is. */
  isNewer?: (known: string, incoming: string) => string
  /** SQL by column: its value in this cell for a row of `incoming`, where it cannot stay as it is. */
  fitted?: Readonly<Record<string, string>>
  /** Columns that are not moved, because each cell has its own values. */
  own?: readonly string[]
  /** SQL assignments that end a row of this cell that an export lacks, for upkeep to delete. Default: the import deletes it. */
  ended?: string
}

/** What happens to every table of a service when a tenant moves. A test compares the lists with the schema. */
export interface TenantTables {
  /** In the order of their references. */
  moved: readonly MovedTable[]
  /** The tables that do not move, with the reason. */
  stays: Readonly<Record<string, string>>
}

/** The tables of the shared mechanisms do not move: they contain work that this cell finishes. */
export const sharedTablesStay = {
  outbox: 'events of this cell, published here',
  stream_watermark: 'of the streams of this cell',
  stream_losses: 'of the streams of this cell',
  dead_letters: 'events of this cell, handled here',
  walks: 'progress of the upkeep of this cell',
  blind_index_keys: 'the keys of this cell',
} as const

/** How an erasure leaves an entry of an append-only table. */
export const erasedEntry = (row: string) => `${row}.recipient_index = 'erased ' || ${row}.id`

export const ofTenant = ({ of = 'tenant_id = $1' }: MovedTable): string => of

export interface Shape {
  /** All columns that an insert may fill. */
  columns: string[]
  key: string[]
}

/** Reads the columns and the primary key of a table from the schema itself, so that no new column is forgotten. */
export async function readShape(client: Client, table: string): Promise<Shape> {
  const { rows } = await client.query<{ name: string; key: number | null }>(
    `select attname as name, array_position(indkey::int2[], attnum) as key
     from pg_attribute left join pg_index on indrelid = attrelid and indisprimary
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     order by attnum`,
    [table],
  )
  const ofKey = rows.filter(({ key }) => key !== null)
  return {
    columns: rows.map(({ name }) => name),
    key: ofKey.sort((a, b) => a.key! - b.key!).map(({ name }) => name),
  }
}
