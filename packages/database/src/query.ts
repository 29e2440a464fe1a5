import {
  type Compilable,
  type CompiledQuery,
  type DeleteResult,
  type InsertResult,
  Kysely,
  type MergeResult,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
  type UpdateResult,
} from 'kysely'

/** A query made by a builder. A named one is prepared once for each connection. */
export interface Query<Row> extends Compilable<Row> {
  readonly name?: string
}

/** The rows of a query: none for one that only changes rows. */
export type RowsOf<Row> = Row extends InsertResult | UpdateResult | DeleteResult | MergeResult ? never[] : Row[]

/**
 * A builder of queries over a service's tables. It has no connection: `run` executes what it builds.
 * @example const build = createBuilder<Tables>()
 * const [user] = await run(build.selectFrom('users').select('phone').where('id', '=', id))
 */
export function createBuilder<Tables>(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: async () => {},
        destroy: async () => {},
        acquireConnection: refuse,
        releaseConnection: refuse,
        beginTransaction: refuse,
        commitTransaction: refuse,
        rollbackTransaction: refuse,
      }),
    },
  })
}

async function refuse(): Promise<never> {
  throw new Error('a builder has no connection: hand the query to run')
}

/** The placeholder of a value while a prepared query is built. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`a prepared query may only pass ${this.name} on to the builder`)
  }
}

/**
 * Compiles a query once; each call only fills in its values. For queries that run often, because building
 * and compiling takes up to half of the CPU time that a process spends on a query.
 * @param build passes the values on to the builder as they are, without reading them
 * @example const findPhone = prepared('find-phone', ({ id }: { id: UserId }) =>
 *   build.selectFrom('users').select('phone').where('id', '=', id))
 * const [user] = await run(findPhone({ id }))
 */
export function prepared<Values extends object, Row>(
  name: string,
  build: (values: Values) => Compilable<Row>,
): (values: Values) => Query<Row> {
  const placeholders = new Proxy({} as Values, {
    get: (_, key) => new Placeholder(String(key)),
    ownKeys: () => {
      throw new Error(`${name} must name its values one by one: they are unknown while it is built`)
    },
  })
  const { query, queryId, sql: text, parameters } = build(placeholders).compile()
  const fill = (values: Values) =>
    parameters.map((value) => (value instanceof Placeholder ? values[value.name as keyof Values] : value))
  return (values) => ({
    name,
    compile: () => ({ query, queryId, sql: text, parameters: fill(values) }) as CompiledQuery<Row>,
  })
}

/** SQL `any(…)`, to compare with `=` whether a value is in a list. The list is one parameter, however long it is. */
export function anyOf<T>(values: readonly T[]): RawBuilder<T> {
  return sql<T>`any(${values})`
}
