import type { IdPrefix } from '@notify/contracts'
import type { ColumnType } from 'kysely'

declare const types: unique symbol

/** A declared column of a table or of a statement's result. */
export interface Column<Select = unknown, Insert = Select, Update = Insert> {
  /** The name of its type, as Postgres's `format_type` shows it. */
  readonly type: string
  readonly isNullable: boolean
  /** Whether Postgres fills it where an insert omits it. */
  readonly hasDefault: boolean
  /** Whether the statement excludes the nulls of the table's column. */
  readonly excludesNull: boolean
  /** Exists only for the type checker. */
  readonly [types]?: ColumnType<Select, Insert, Update>
  nullable(): Column<Select | null, Insert | null | undefined, Update | null>
  withDefault(): Column<Select, Insert | undefined, Update>
  /** Computed by Postgres. */
  generated(): Column<Select, never, never>
  /** For a result: a nullable column whose nulls the statement excludes. */
  present(): Column<NonNullable<Select>>
}

export type Columns = Readonly<Record<string, Column>>

/** Tables with their columns, as data that tools and tests can read. */
export type DeclaredTables = Readonly<Record<string, Columns>>

type TypesOf<C> = C extends { readonly [types]?: infer T } ? NonNullable<T> : never

/** The types of declared tables, as Kysely has them. */
export type TablesOf<Declared extends DeclaredTables> = {
  [Table in keyof Declared]: { [Name in keyof Declared[Table]]: TypesOf<Declared[Table][Name]> }
}

/** A row of declared columns. */
export type RowOf<Declared extends Columns> = {
  [Name in keyof Declared]: TypesOf<Declared[Name]> extends ColumnType<infer Select, infer _I, infer _U>
    ? Select
    : never
}

function declare<Select, Insert = Select, Update = Insert>(
  type: string,
  { isNullable = false, hasDefault = false, excludesNull = false } = {},
): Column<Select, Insert, Update> {
  return {
    ...{ type, isNullable, hasDefault, excludesNull },
    nullable: () => declare(type, { isNullable: true, hasDefault }),
    withDefault: () => declare(type, { isNullable, hasDefault: true }),
    generated: () => declare(type, { isNullable, hasDefault: true }),
    present: () => declare(type, { excludesNull: true }),
  }
}

/**
 * Declares a column with its type in Postgres; the type in TypeScript follows from it, or narrows it. A test compares
 * both with the migrated tables.
 * @example const tables = { users: { id: column.id('usr'), phone: column.bytes().nullable() } }
 */
export const column = {
  text: <T extends string = string>() => declare<T>('text'),
  id: <P extends IdPrefix>(_prefix: P) => declare<`${P}_${string}`>('text'),
  uuid: () => declare<string>('uuid'),
  boolean: () => declare<boolean>('boolean'),
  smallint: <T extends number = number>() => declare<T>('smallint'),
  integer: <T extends number = number>() => declare<T>('integer'),
  bigint: () => declare<bigint, bigint | number>('bigint'),
  double: () => declare<number>('double precision'),
  bytes: () => declare<Buffer>('bytea'),
  timestamp: () => declare<Date, Date | string>('timestamp with time zone'),
  /** A day, such as `2026-01-31`. */
  date: () => declare<string>('date'),
  /** Written as text, because the driver turns a list into an array of Postgres. */
  jsonb: <T>() => declare<T, string>('jsonb'),
  json: <T>() => declare<T, string>('json'),
  texts: <T extends string | null = string>() => declare<T[]>('text[]'),
  integers: () => declare<number[]>('integer[]'),
  void: () => declare<''>('void'),
}

/** Some columns of a table. */
export function pick<Declared extends Columns, Name extends keyof Declared>(
  columns: Declared,
  ...names: Name[]
): Pick<Declared, Name> {
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Declared, Name>
}

/** All columns of a table but some. */
export function omit<Declared extends Columns, Name extends keyof Declared>(
  columns: Declared,
  ...names: Name[]
): Omit<Declared, Name> {
  const without: ReadonlySet<PropertyKey> = new Set(names)
  return Object.fromEntries(Object.entries(columns).filter(([name]) => !without.has(name))) as Omit<Declared, Name>
}

/** The columns of an outer-joined relation, which are null without a matching row. */
export function outerJoined<Declared extends Columns>(columns: Declared) {
  return Object.fromEntries(Object.entries(columns).map(([name, one]) => [name, one.nullable()])) as {
    [Name in keyof Declared]: ReturnType<Declared[Name]['nullable']>
  }
}
