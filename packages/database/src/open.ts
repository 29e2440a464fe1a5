import { schemaOf } from '@notify/contracts'
import { type IndexKeys, keysFingerprint } from '@notify/privacy'
import { type CommandKit, type Kit, withoutLogFields } from '@notify/service-kit'
import pg, { type QueryConfig } from 'pg'
import { castColumns } from './cast.ts'
import { isConnectionError, rethrow, rethrowCommitting } from './connection-errors.ts'
import { type Connection, Connections } from './connections.ts'
import { failureReason } from './failure-reason.ts'
import { whileHeld } from './held-connection.ts'
import { awaitSchema } from './migrations/await-schema.ts'
import { migrate } from './migrations/migrate.ts'
import type { Migrations } from './migrations/migration.ts'
import { measurePool } from './pool-metrics.ts'
import { createProbe } from './probe.ts'
import type { LockedSteps, Queries, Run, Runnable } from './queries.ts'
import type { Query } from './query.ts'
import { recordKeysOnce } from './reindex/key-record.ts'
import { requireSettings } from './require-settings.ts'
import { longWaits } from './session-settings.ts'
import { isChecked, requireNoNulls, type Statement } from './statement.ts'

export type { Queries, Run } from './queries.ts'

/** The configuration variables of a service's database. */
export interface DatabaseConfig {
  DATABASE_URL: string
  MIGRATION_DATABASE_URL?: string | undefined
  DATABASE_POOL_SIZE: number
  /** False behind a pooler without named statements, such as PgBouncer before 1.21; default true. */
  DATABASE_PREPARED_STATEMENTS?: boolean
  /** Whether opening runs migrations. Otherwise it waits until another process has run them; default false. */
  MIGRATE_ON_START?: boolean
  /**
   * The keys of the blind indexes. A schema whose indexes have other keys is refused. Absent in services without indexes.
   */
  BLIND_INDEX_KEY?: IndexKeys | undefined
}

interface OpenOptions {
  config: DatabaseConfig
  /** The migrations that the schema must have. Commands require none, so that they work while a release is rolled out. */
  migrations?: Migrations
}

const int8 = 20
const date = 1082

/**
 * Opens the schema of a service: waits for Postgres, checks the role's settings, and migrates if configured, or waits
 * for the migrations, and for `reindex` if the blind indexes are under other keys. Registers its end.
 * @throws Error when Postgres refuses the login, the role is not provisioned, or a migration fails
 */
export async function openDatabase(
  kit: CommandKit & Partial<Pick<Kit, 'health' | 'metrics'>>,
  { config, migrations = [] }: OpenOptions,
): Promise<Queries> {
  const schema = schemaOf(kit.service)
  const settings = {
    connectionString: config.DATABASE_URL,
    max: config.DATABASE_POOL_SIZE,
    application_name: schema,
    types: { getTypeParser: parserOf },
  }
  const connections = new Connections(settings)
  const { pool } = connections
  const { BLIND_INDEX_KEY: keys } = config
  const indexKeys = keys && migrations.length > 0 ? keysFingerprint(keys) : undefined
  const probe = createProbe({ ...settings, application_name: `${schema}-probe` }, { migrations, indexKeys })
  // Without a listener, an idle connection closed by Postgres would end the process.
  // The connection was opened by a request that has long been answered.
  pool.on('error', (error) => withoutLogFields(() => kit.log.warn({ err: error }, 'lost a Postgres connection')))
  kit.lifecycle.onStop('postgres', async () => {
    await Promise.all([pool.end(), probe.end()])
  })
  const queries = queriesOf(connections, config.DATABASE_PREPARED_STATEMENTS ?? true)
  await untilReachable(queries, { url: config.DATABASE_URL, schema }, kit)
  await requireSettings(queries, kit.service, kit.log)
  kit.health?.require('postgres', () => probe.check())
  if (kit.metrics) measurePool(kit.metrics, connections)
  if (migrations.length === 0) return queries
  if (config.MIGRATE_ON_START) await migrate(kit, { config, schema, migrations })
  else await awaitSchema(kit, probe, schema)
  if (!keys) return queries
  // A process that was stopped during its migrations has no connections any more; the wait ends for that reason.
  if (!kit.lifecycle.stopping) await recordKeysOnce(queries, keys)
  await awaitSchema(kit, probe, schema)
  return queries
}

function queriesOf(connections: Connections, prepared: boolean): Queries {
  const runOver =
    (connection: Connection, fail: (error: unknown) => never, answerMs?: number): Run =>
    async <Row>(statement: Runnable<Row>, values: readonly unknown[] = []) => {
      const { rows } = await connection.query(queryOf(statement, values, prepared), answerMs).catch(fail)
      if (isChecked && typeof statement !== 'string') requireNoNulls(declarationOf(statement), rows)
      return rows as never
    }
  const transact = async <T>(work: (run: Run) => Promise<T>, answerMs?: number): Promise<T> => {
    const connection = await connections.connect().catch(rethrow)
    const run = runOver(connection, rethrow, answerMs)
    try {
      await run('begin')
      const result = await whileHeld(connections.pool, () => work(run))
      await commit(connection, answerMs)
      return result
    } catch (error) {
      await connection.rollback()
      throw error
    } finally {
      connection.release()
    }
  }
  const transactLong = <T>(work: (run: Run) => Promise<T>): Promise<T> =>
    transact(async (run) => {
      await run(`set local statement_timeout = '${longWaits.statementTimeout}'`)
      return work(run)
    }, longWaits.answerMs)
  const whileLocked = async <Row, Result>({ lock, work, mark }: LockedSteps<Row, Result>): Promise<Result> => {
    const connection = await connections.connect().catch(rethrow)
    const run = runOver(connection, rethrow)
    try {
      const [, rows] = await connection.together(() => Promise.all([run('begin'), lock(run)]))
      const result = await whileHeld(connections.pool, () => work(rows))
      // If the statement fails, Postgres rolls back at the commit.
      await connection.together(() => Promise.all([mark(run, result), commit(connection)]))
      return result
    } catch (error) {
      await connection.rollback()
      throw error
    } finally {
      connection.release()
    }
  }
  const lend = async <T>(work: (run: Run) => Promise<T>): Promise<T> => {
    const connection = await connections.connect().catch(rethrow)
    try {
      return await work(runOver(connection, rethrowCommitting))
    } finally {
      connection.release()
    }
  }
  return {
    run: <Row>(statement: Runnable<Row>, values?: readonly unknown[]) => lend((run) => run(statement, values)),
    withConnection: (work) => lend((run) => whileHeld(connections.pool, () => work(run))),
    runLong: <Row>(statement: Runnable<Row>, values?: readonly unknown[]) =>
      transactLong((run) => run(statement, values)),
    transaction: (work) => transact(work),
    longTransaction: transactLong,
    whileLocked,
  }
}

/** @throws Error when the work ignored the failure of a statement: Postgres then rolls back, and reports no error */
async function commit(connection: Connection, answerMs?: number): Promise<void> {
  const { command } = await connection.query({ text: 'commit' }, answerMs).catch(rethrowCommitting)
  if (command === 'ROLLBACK') throw new Error('rolled back, because a statement of the transaction had failed')
}

/** The columns that a statement declares, or those that the casts of a query do. */
function declarationOf(statement: Query<unknown> | Statement): Pick<Statement, 'name' | 'columns'> {
  if (!('compile' in statement)) return statement
  return { name: statement.name ?? 'a query', columns: castColumns(statement.compile().query) }
}

function queryOf(statement: Runnable<unknown>, values: readonly unknown[], prepared: boolean): QueryConfig {
  if (typeof statement === 'string') return { text: statement, values: values as unknown[] }
  const { name } = statement
  const isNamed = prepared && name !== undefined && (!('isPrepared' in statement) || statement.isPrepared)
  if (!('compile' in statement)) return { text: statement.text, values: values as unknown[], ...(isNamed && { name }) }
  const { sql, parameters } = statement.compile()
  return { text: sql, values: parameters as unknown[], ...(isNamed && { name }) }
}

function parserOf(oid: number, format?: 'text' | 'binary') {
  if (format !== 'binary' && oid === int8) return BigInt as never
  if (format !== 'binary' && oid === date) return ((text: string) => text) as never
  return pg.types.getTypeParser(oid, format as 'text')
}

async function untilReachable(
  { run }: Queries,
  { url, schema }: { url: string; schema: string },
  { log }: Pick<Kit, 'log'>,
): Promise<void> {
  const { hostname, port } = new URL(url)
  const attempts = 20
  for (let attempt = 1; ; attempt++) {
    try {
      await run('select 1')
      return
    } catch (problem) {
      const error = (problem as Error).cause ?? problem
      if (!isConnectionError(error) || attempt === attempts) {
        throw new Error(
          `Postgres at ${hostname}:${port || 5432} cannot be used as ${schema} (${failureReason(error as Error)}): check DATABASE_URL`,
          { cause: error },
        )
      }
      if (attempt % 5 === 1) log.warn({ host: hostname, port }, 'waiting for Postgres')
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
}
