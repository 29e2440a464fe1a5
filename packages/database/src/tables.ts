declare const typeOfColumn: unique symbol

/** A declared column; its type exists only for the type checker. */
export interface Column<T> {
  readonly [typeOfColumn]?: T
}

/** Tables with their columns, as data that tools can read. */
export type DeclaredTables = Readonly<Record<string, Readonly<Record<string, Column<unknown>>>>>

/**
 * Declares a column with its type as Kysely has it.
 * @example const tables = { users: { id: column<string>(), created_at: column<Generated<Date>>() } }
 */
export const column = <T>(): Column<T> => ({})

/** The types of declared tables, for a `Database`. */
export type TablesOf<Declared extends DeclaredTables> = {
  [Table in keyof Declared]: {
    [Name in keyof Declared[Table]]: Declared[Table][Name] extends Column<infer T> ? T : never
  }
}
