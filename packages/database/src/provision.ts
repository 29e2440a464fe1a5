import { type ServiceName, schemaOf } from '@notify/contracts'
import pg from 'pg'
import { scramSecret } from './scram-secret.ts'
import { sessionSettings } from './session-settings.ts'

export interface ServiceRole {
  service: ServiceName
  password: string
}

interface ProvisionOptions {
  /**
   * Password of `notify_reader`. Without one an existing role stays unchanged, and a new role cannot log in, but can be
   * granted to people.
   */
  readerPassword?: string | undefined
}

/** The role for people who inspect data: it reads the tables of every service and changes nothing. */
export const readerRole = 'notify_reader'
/** A query of a person must not read for hours. */
const readerSettings = { default_transaction_read_only: 'on', statement_timeout: '30s' }

/** Errors of concurrent changes to the same role: roles are global to the server. */
const conflicts = new Set(['23505', '42710', 'XX000', '40001', '40P01'])

/**
 * Creates a database if it is missing.
 * @param adminUrl any database of the server; the user must be allowed to create databases
 */
export async function provisionDatabase(adminUrl: string, databaseName: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const found = await client.query('select 1 from pg_database where datname = $1', [databaseName])
    if (found.rowCount) return
    try {
      // template0: template1 may contain local additions.
      await client.query(`create database ${client.escapeIdentifier(databaseName)} template template0`)
    } catch (error) {
      const alreadyThere = ['42P04', '23505'].includes((error as { code?: string }).code ?? '')
      if (!alreadyThere) throw error
    }
  })
}

/**
 * Creates the role and schema of one service; see {@link provisionServices}.
 * @param adminUrl the database of the schema
 */
export function provisionService(adminUrl: string, role: ServiceRole): Promise<void> {
  return provisionServices(adminUrl, [role])
}

/**
 * Gives each service a role and a schema of the service's name (with `_` for `-`) in the database of `adminUrl`, and
 * nothing else: no service reads, or creates anything in, another's schema or `public`. The role's sessions in this database
 * get the settings of `sessionSettings`. `notify_reader` may read all of these schemas, and tables that are created in them later.
 * May be repeated (changed passwords and settings are set), and run by several at once.
 * @param adminUrl a superuser, or a user that may create roles and owns the database
 */
export async function provisionServices(
  adminUrl: string,
  roles: readonly ServiceRole[],
  options: ProvisionOptions = {},
): Promise<void> {
  await withClient(adminUrl, async (client) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await provision(client, roles, options)
        return
      } catch (error) {
        await client.query('rollback')
        if (attempt === 20 || !conflicts.has((error as { code?: string }).code ?? '')) throw error
        await client.query('select pg_sleep(random() * 0.05)')
      }
    }
  })
}

async function provision(client: pg.Client, roles: readonly ServiceRole[], options: ProvisionOptions): Promise<void> {
  await client.query('begin')
  // Serialises concurrent runs; released at the end of the transaction.
  await client.query(`select pg_advisory_xact_lock(hashtext('notify.provision'))`)
  const { database, superuser, iterations } = await whoWeAre(client)
  const secretOf = (password: string) => client.escapeLiteral(scramSecret(password, iterations))
  const quotedDatabase = client.escapeIdentifier(database)
  // Some platforms drop the schema.
  const { rowCount: isThere } = await client.query(`select from pg_namespace where nspname = 'public'`)
  if (isThere) await client.query('revoke all on schema public from public')
  await client.query(`revoke connect, temporary on database ${quotedDatabase} from public`)
  for (const { service, password } of roles) {
    const name = schemaOf(service)
    const role = client.escapeIdentifier(name)
    const exists = await client.query('select 1 from pg_roles where rolname = $1', [name])
    const verb = exists.rowCount ? 'alter' : 'create'
    await client.query(`${verb} role ${role} login password ${secretOf(password)}`)
    // Only a member of a role may create a schema for it.
    if (!superuser) await client.query(`grant ${role} to current_user`)
    await client.query(`create schema if not exists ${role} authorization ${role}`)
    await client.query(`alter schema ${role} owner to ${role}`)
    await client.query(`revoke all on schema ${role} from public`)
    await client.query(`grant connect on database ${quotedDatabase} to ${role}`)
    for (const [setting, value] of Object.entries(sessionSettings(service))) {
      const literal = client.escapeLiteral(value)
      await client.query(`alter role ${role} in database ${quotedDatabase} set ${setting} = ${literal}`)
    }
  }
  const { readerPassword } = options
  await provisionReader(client, quotedDatabase, roles, readerPassword && secretOf(readerPassword))
  await client.query('commit')
}

async function provisionReader(
  client: pg.Client,
  quotedDatabase: string,
  roles: readonly ServiceRole[],
  secret: string | undefined,
): Promise<void> {
  const exists = await client.query('select 1 from pg_roles where rolname = $1', [readerRole])
  if (!exists.rowCount) await client.query(`create role ${readerRole} nologin`)
  // Another administrator may have created the role, for another database of the server.
  const { rows } = await client.query(`select pg_has_role($1, 'member with admin option') as ours`, [readerRole])
  const { rows: admins } = await client.query(
    `select pg_has_role('pg_read_all_stats', 'member with admin option') or rolsuper as grants from pg_roles where rolname = current_user`,
  )
  const settings = rows[0].ours ? Object.entries(readerSettings) : []
  const statements = [
    ...(secret ? [`alter role ${readerRole} login password ${secret}`] : []),
    `grant connect on database ${quotedDatabase} to ${readerRole}`,
    ...(admins[0].grants ? [`grant pg_read_all_stats to ${readerRole}`] : []),
    ...settings.map(
      ([setting, value]) => `alter role ${readerRole} in database ${quotedDatabase} set ${setting} = '${value}'`,
    ),
    ...roles.flatMap(({ service }) => {
      const schema = client.escapeIdentifier(schemaOf(service))
      return [
        `grant usage on schema ${schema} to ${readerRole}`,
        `grant select on all tables in schema ${schema} to ${readerRole}`,
        `alter default privileges for role ${schema} in schema ${schema} grant select on tables to ${readerRole}`,
      ]
    }),
  ]
  await client.query(statements.join(';\n'))
}

interface Admin {
  database: string
  superuser: boolean
  iterations: number
}

async function whoWeAre(client: pg.Client): Promise<Admin> {
  // Before Postgres 16 the setting is missing and the number fixed.
  const { rows } = await client.query<Admin>(
    `select current_database() as database, rolsuper as superuser,
       coalesce(current_setting('scram_iterations', true), '4096')::int as iterations
     from pg_roles where rolname = current_user`,
  )
  return rows[0]!
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'provision',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
