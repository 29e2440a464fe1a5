import type { Columns, RowOf } from './columns.ts'

/** A statement with the columns of its rows, which a test compares with Postgres's description of it. */
export interface Statement<Row = unknown> {
  /** Unique in the service. */
  readonly name: string
  readonly text: string
  readonly columns: { readonly [Name in keyof Row]: Columns[string] }
  /** Prepared once for each connection. False: parsed and planned each time, for its values. */
  readonly isPrepared: boolean
}

interface Declaration<Declared extends Columns> {
  name: string
  text: string
  /** The columns of the result, in any order; none for a statement that returns no rows. */
  columns?: Declared
  /** Default true; false for rare statements whose plan depends on their values. */
  isPrepared?: boolean
}

const declared: Statement[] = []

/** Every statement that the imported modules declare, for the test that prepares them. */
export const declaredStatements: readonly Statement[] = declared

/**
 * Declares a statement once. Its row type follows from its columns.
 * @example const find = defineStatement({
 *   name: 'find-user', text: 'select id, phone from users where id = $1', columns: pick(tables.users, 'id', 'phone') })
 * const [user] = await run(find, [id])
 */
export function defineStatement<Declared extends Columns = Record<never, never>>(
  declaration: Declaration<Declared>,
): Statement<RowOf<Declared>> {
  const statement = statementOf(declaration)
  declared.push(statement as Statement)
  return statement
}

/**
 * Declares statements whose text depends on an argument of few values, such as a number of rows. Each is made once.
 * @param examples arguments, whose statements the test prepares
 */
export function defineStatements<Argument, Declared extends Columns = Record<never, never>>(
  declare: (argument: Argument) => Declaration<Declared>,
  ...examples: NoInfer<Argument>[]
): (argument: Argument) => Statement<RowOf<Declared>> {
  const known = new Map(examples.map((example) => [example as Argument, defineStatement(declare(example))]))
  return (argument) => {
    const statement = known.get(argument) ?? statementOf(declare(argument))
    known.set(argument, statement)
    return statement
  }
}

/** A statement outside the registry; the function that makes it has its own test. */
export function statementOf<Declared extends Columns>({
  name,
  text,
  columns = {} as Declared,
  isPrepared = true,
}: Declaration<Declared>): Statement<RowOf<Declared>> {
  return { name, text, columns: columns as never, isPrepared }
}

/** Our images set NODE_ENV=production, which disables the check. */
export const isChecked = process.env.NODE_ENV !== 'production'

/**
 * Refuses a null in a column that is declared without nulls: Postgres does not report whether an expression may be null.
 * @throws Error in development and tests
 */
export function requireNoNulls({ name, columns }: Pick<Statement, 'name' | 'columns'>, rows: readonly object[]): void {
  for (const [column, { isNullable }] of Object.entries<Columns[string]>(columns)) {
    if (isNullable || rows.every((row) => row[column as keyof typeof row] !== null)) continue
    throw new Error(`${name} returned a null in ${column}, which is declared without`)
  }
}
