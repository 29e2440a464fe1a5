import pg from 'pg'
import { codeOf, messageOf, StartupError } from '../startup-error.ts'
import { greeting } from './greeting.ts'

/** A busy machine answers late. */
const reachMs = 15_000

/**
 * Checks a Postgres server of the user's.
 * @throws StartupError naming POSTGRES_URL, the address and what to do
 */
export async function requirePostgres(url: string): Promise<void> {
  const { hostname, port, username } = parse('POSTGRES_URL', url, 'postgres://<admin>:<password>@<host>:5432/postgres')
  const where = `${hostname}:${port || '5432'}`
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: reachMs })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ may: boolean }>(
      'select rolsuper or (rolcreatedb and rolcreaterole) as may from pg_roles where rolname = current_user',
    )
    if (!rows[0]?.may) {
      throw new StartupError(
        `POSTGRES_URL: the user ${username} of ${where} may not create databases and roles: alter role ${username} createdb createrole`,
      )
    }
  } catch (error) {
    if (error instanceof StartupError) throw error
    const refused = ['28P01', '28000'].includes(codeOf(error) ?? '')
    const advice = refused
      ? `check its user and password`
      : 'start that server, correct the variable, or unset it to use a built-in one'
    throw new StartupError(
      `POSTGRES_URL: ${where} ${refused ? 'refuses the login' : 'cannot be reached'} (${messageOf(error)}): ${advice}`,
      {
        cause: error,
      },
    )
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Checks a NATS server of the user's.
 * @throws StartupError naming NATS_URL, the address and what to do
 */
export async function requireNats(url: string): Promise<void> {
  const { hostname, port, username } = parse('NATS_URL', url, 'nats://<user>:<password>@<host>:4222')
  const info = await reach('NATS_URL', { host: hostname, port: Number(port || 4222) })
  if (/"auth_required":\s*true/.test(info) && username === '') {
    throw new StartupError(
      `NATS_URL: ${hostname}:${port || 4222} asks for a login: NATS_URL=nats://<user>:<password>@${hostname}:${port || 4222}, of a user who may do everything`,
    )
  }
  if (/"jetstream":\s*true/.test(info)) return
  throw new StartupError(`NATS_URL: ${hostname}:${port || 4222} has no JetStream: start nats-server with -js`)
}

/**
 * Checks a Redis server of the user's.
 * @throws StartupError naming REDIS_URL, the address and what to do
 */
export async function requireRedis(url: string): Promise<void> {
  const { hostname, port, password } = parse('REDIS_URL', url, 'redis://<host>:6379')
  const answer = await reach('REDIS_URL', { host: hostname, port: Number(port || 6379), say: 'PING\r\n' })
  if (!answer.startsWith('-NOAUTH') || password !== '') return
  throw new StartupError(
    `REDIS_URL: ${hostname}:${port || 6379} asks for a password: REDIS_URL=redis://:<password>@${hostname}:${port || 6379}`,
  )
}

async function reach(variable: string, target: { host: string; port: number; say?: string }): Promise<string> {
  try {
    return await greeting({ ...target, timeoutMs: reachMs })
  } catch (error) {
    throw new StartupError(
      `${variable}: ${target.host}:${target.port} cannot be reached (${messageOf(error)}): start that server, correct the variable, or unset it to use a built-in one`,
      { cause: error },
    )
  }
}

function parse(variable: string, text: string, form: string): URL {
  if (URL.canParse(text) && new URL(text).hostname) return new URL(text)
  throw new StartupError(`${variable} is not a URL of the form ${form}`)
}
