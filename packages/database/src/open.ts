import type { Kit } from '@notify/service-kit'
import { Problem } from '@notify/service-kit'
import {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import { requireNoneHeld, whileHeld } from './held-connection.ts'
import { measurePool } from './pool-metrics.ts'
import { createProbe } from './probe.ts'

/** A statement that Postgres plans once for each connection; `name` is unique in the service. */
export interface Statement {
  name: string
  text: string
}

/** Runs a statement; prepared when it has a name. @throws Problem `service_unavailable` when Postgres cannot be reached */
export type Run = <Row>(statement: Statement | string, values?: readonly unknown[]) => Promise<Row[]>

/** A service's own schema as the shared mechanisms use it: statements as they are written. */
export interface Queries {
  run: Run
  /** Runs statements in one transaction; a throw rolls back. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>
}

/** A service's own schema, with the query builder for its tables. */
export interface Database<Tables> extends Queries {
  kysely: Kysely<Tables>
}

interface OpenOptions {
  url: string
  poolSize: number
  schema: string
}

const int8 = 20
const date = 1082

/** Opens the pool and waits until Postgres answers; registers its end. */
export async function openDatabase<Tables>(
  kit: Pick<Kit, 'log' | 'lifecycle'> & Partial<Pick<Kit, 'health' | 'metrics'>>,
  options: OpenOptions,
): Promise<Database<Tables>> {
  const settings: pg.PoolConfig = {
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 60_000,
    application_name: options.schema,
    options: sessionSettings(options.schema),
    types: { getTypeParser: parserOf },
  }
  const pool = new pg.Pool(settings)
  const probe = createProbe(settings)
  // Without a listener an idle connection that Postgres closes would end the process.
  pool.on('error', (error) => kit.log.warn({ err: error }, 'a Postgres connection was lost'))
  // Nor does the pool listen to a connection that a transaction holds; the transaction's next statement fails by itself.
  pool.on('connect', (client) => client.on('error', () => {}))
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: builderPool(pool) }) })
  kit.lifecycle.onStop('postgres', async () => {
    await kysely.destroy()
    await Promise.all([pool.end(), probe.end()])
  })
  await untilReachable(pool, options, kit)
  kit.health?.require('postgres', () => probe.check())
  if (kit.metrics) measurePool(kit.metrics, pool)
  return {
    kysely,
    run: runWith(pool),
    async transaction(work) {
      requireNoneHeld(pool)
      const client = await pool.connect().catch(rethrow)
      let failed = true
      try {
        await client.query('begin')
        const result = await whileHeld(pool, () => work(runWith(client)))
        await client.query('commit')
        failed = false
        return result
      } catch (error) {
        failed = await client.query('rollback').then(
          () => false,
          () => true,
        )
        return rethrow(error)
      } finally {
        client.release(failed)
      }
    },
  }
}

/** The pool as the query builder sees it: a lost connection is `service_unavailable` there too. Cursors are not used. */
function builderPool(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    // The builder ends only a pool that it has used.
    end: async () => {},
    async connect() {
      requireNoneHeld(pool)
      const client = await pool.connect().catch(rethrow)
      const query = (text: string, values: unknown[]) => client.query(text, values).catch(rethrow)
      return { query: query as unknown as PostgresPoolClient['query'], release: (destroy) => client.release(destroy) }
    },
  }
}

function runWith(target: pg.Pool | pg.PoolClient): Run {
  return async <Row>(statement: Statement | string, values: readonly unknown[] = []) => {
    if (target instanceof pg.Pool) requireNoneHeld(target)
    const query = typeof statement === 'string' ? { text: statement } : statement
    const { rows } = await target.query({ ...query, values: values as unknown[] }).catch(rethrow)
    return rows as Row[]
  }
}

/** The plain statements of a query builder's transaction, for mechanisms that take `Run`. */
export function runOn<Tables>(tx: Transaction<Tables>): Run {
  return async <Row>(statement: Statement | string, values: readonly unknown[] = []) => {
    const text = typeof statement === 'string' ? statement : statement.text
    return (await tx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
  }
}

function rethrow(error: unknown): never {
  throw isConnectionError(error) ? databaseUnavailable(error) : error
}

/**
 * Every statement of ours reaches its rows by an index. Said to the planner, because a plan that a connection prepared while
 * the tables were small would otherwise scan them for as long as the connection lives.
 */
function sessionSettings(schema: string): string {
  const settings = {
    search_path: schema,
    statement_timeout: '30000',
    lock_timeout: '5000',
    idle_in_transaction_session_timeout: '30000',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

function parserOf(oid: number, format?: 'text' | 'binary') {
  if (format !== 'binary' && oid === int8) return BigInt as never
  if (format !== 'binary' && oid === date) return ((text: string) => text) as never
  return pg.types.getTypeParser(oid, format as 'text')
}

async function untilReachable(pool: pg.Pool, { url, schema }: OpenOptions, { log }: Pick<Kit, 'log'>): Promise<void> {
  const { hostname, port } = new URL(url)
  const attempts = 20
  for (let attempt = 1; ; attempt++) {
    try {
      await pool.query('select 1')
      return
    } catch (error) {
      if (!isConnectionError(error) || attempt === attempts) {
        throw new Error(
          `Postgres at ${hostname}:${port || 5432} cannot be used as ${schema} (${(error as Error).message}): check DATABASE_URL`,
          { cause: error },
        )
      }
      if (attempt % 5 === 1) log.warn({ host: hostname, port }, 'waiting for Postgres')
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
}

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08006',
  '08003',
  '08001',
])

/** Whether Postgres was out of reach, which says nothing of the statement. */
export function isConnectionError(error: unknown): boolean {
  if (!(typeof error === 'object' && error !== null)) return false
  const { code, message } = error as { code?: string; message?: string }
  if (code !== undefined && connectionCodes.has(code)) return true
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
    message ?? '',
  )
}

/** What a caller is told while Postgres is out of reach. */
export function databaseUnavailable(cause: unknown): Problem {
  return new Problem('service_unavailable', 'The service cannot reach its database; try again shortly', {
    headers: { 'Retry-After': '1' },
    cause,
  })
}
