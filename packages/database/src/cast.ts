import { type Expression, ExpressionWrapper, type OperationNode, type SelectQueryNode, sql } from 'kysely'
import type { Column, Columns } from './columns.ts'

const declared = new WeakMap<OperationNode, Column>()

type Selected<C> = C extends Column<infer Select, infer _I, infer _U> ? Select : never

/**
 * An expression in the result of a query. A cast gives it the type of the column in Postgres, and so in TypeScript; `run`
 * refuses its nulls like those of a statement's columns.
 * @example build.selectFrom('users').select(cast(column.integer(), sql`count(*)`).as('count'))
 */
// biome-ignore lint/suspicious/noExplicitAny: Kysely's own expressions of any database
export function cast<C extends Column<any, any, any>>(
  column: C,
  expression: Expression<unknown>,
): ExpressionWrapper<never, never, Selected<C>> {
  const node = sql`cast(${expression} as ${sql.raw(column.type)})`.toOperationNode()
  declared.set(node, column)
  return new ExpressionWrapper(node)
}

/** The columns of a query's result that {@link cast} declares. */
export function castColumns({ kind, ...query }: OperationNode): Columns {
  const { selections = [], returning } = query as Partial<SelectQueryNode> & { returning?: Partial<SelectQueryNode> }
  const found = [...selections, ...(returning?.selections ?? [])].flatMap(({ selection }) => {
    if (selection.kind !== 'AliasNode') return []
    const { node, alias } = selection as unknown as { node: OperationNode; alias: { name: string } }
    const column = declared.get(node)
    return column ? [[alias.name, column] as const] : []
  })
  return Object.fromEntries(found)
}
