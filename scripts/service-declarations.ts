// Reads a service's declarations: config.ts, routes.ts, consumers.ts, db/.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ServiceName, subjectFilter } from '@notify/contracts'
import { allEvents } from '@notify/contracts/catalogue'
import type { DeclaredTables, Migration, Migrations } from '@notify/database'
import type { ConsumerEntry } from '@notify/messaging'
import { commonConfig, type RouteEntry } from '@notify/service-kit'

const root = join(import.meta.dirname, '..')
const sourceOf = (service: ServiceName, ...path: string[]) => join(root, 'services', service, 'src', ...path)

/** An entry of a service's consumers, with derived values. */
export interface Consumer {
  /** Name of the event in the contracts. */
  event: string
  publisher: ServiceName
  durable: string
  where: Readonly<Record<string, string>>
  filter: string
}

interface ConsumerTable {
  consumers?: readonly ConsumerEntry<never>[]
  /** Consumers of the registered channels. */
  consumersOf?(): readonly ConsumerEntry<never>[]
}

/**
 * The consumers of a service.
 * @throws Error for an event that is not in the contracts
 */
export async function consumersOf(service: ServiceName): Promise<Consumer[]> {
  const file = sourceOf(service, 'consumers.ts')
  if (!existsSync(file)) return []
  const table = (await import(file)) as ConsumerTable
  const names = new Map([...allEvents()].map(([name, event]) => [event, name]))
  const rows = table.consumers ?? table.consumersOf?.() ?? []
  return rows.map(({ event, durable, where }) => {
    const name = names.get(event)
    if (name === undefined) throw new Error(`${durable} listens to ${event.subject}, which the contracts do not name`)
    return { event: name, publisher: event.publisher, durable, where, filter: subjectFilter(event, where) }
  })
}

/** The routes of a service with their contracts. */
export async function routesOf(service: ServiceName): Promise<readonly RouteEntry<never>[]> {
  const { routes } = (await import(sourceOf(service, 'routes.ts'))) as { routes: readonly RouteEntry<never>[] }
  return routes
}

export interface Table {
  name: string
  columns: string[]
}

/** The tables that a service declares. */
export async function declaredTablesOf(service: ServiceName): Promise<DeclaredTables> {
  const { tables } = (await import(sourceOf(service, 'db', 'schema.ts'))) as { tables: DeclaredTables }
  return tables
}

/** The tables of a service's own schema. */
export async function tablesOf(service: ServiceName): Promise<Table[]> {
  return Object.entries(await declaredTablesOf(service)).map(([name, columns]) => ({
    name,
    columns: Object.keys(columns),
  }))
}

/** A service's migrations, including those of shared tables. */
export async function migrationsOf(service: ServiceName): Promise<Migrations> {
  const { migrations } = (await import(sourceOf(service, 'db', 'migrations.ts'))) as { migrations: Migrations }
  return migrations
}

/** Whether a migration is a service's own, such as `0001-baseline`. */
export const isOwnMigration = ({ name }: Migration) => /^\d{4}-/.test(name)

/** The shared tables of packages/database that a service uses. */
export async function sharedTablesOf(service: ServiceName): Promise<string[]> {
  const shared = (await migrationsOf(service)).filter((migration) => !isOwnMigration(migration))
  const statements = shared.flatMap((migration) => ('transaction' in migration ? migration.transaction : []))
  return statements.flatMap((text) => [...text.matchAll(/create table (\w+)/g)].map(([, table = '']) => table))
}

export interface Variable {
  name: string
  meaning: string
  /** As written in the environment; absent without a default. */
  fallback: string | undefined
  required: boolean
  choices: string[]
  /** A regular expression for its text, where its declaration says more than that it is one. */
  pattern: string | undefined
  /** Whether a value of any kind is refused. */
  isRefused: boolean
  /** Whether every service reads it. */
  common: boolean
}

interface Schema {
  shape: Record<string, { safeParse(value: undefined): { success: boolean; data?: unknown } }>
  toJSONSchema(options: { io: 'input'; unrepresentable: 'any' }): {
    properties?: Record<string, Declared>
  }
}

interface Declared {
  description?: string
  default?: unknown
  enum?: string[]
  type?: string
  format?: string
  pattern?: string
  not?: object
}

const patterns: Record<string, string> = {
  integer: '^[0-9]+$',
  number: '^[0-9]*[.]?[0-9]+$',
  uri: '^[a-z][a-z0-9+.-]*:',
}

async function configOf(service: ServiceName): Promise<Schema> {
  const { Config } = (await import(sourceOf(service, 'config.ts'))) as { Config: Schema }
  return Config
}

/** The environment variables of a service: its own first, then the common ones. */
export async function variablesOf(service: ServiceName): Promise<Variable[]> {
  const Config = await configOf(service)
  const { properties = {} } = Config.toJSONSchema({ io: 'input', unrepresentable: 'any' })
  const variables = Object.keys(Config.shape).map((name): Variable => {
    const declared = properties[name] ?? {}
    const { description = '', default: written, enum: choices = [], type = '', format = '' } = declared
    const absent = Config.shape[name]!.safeParse(undefined)
    const fallback = written ?? (absent.success ? absent.data : undefined)
    return {
      name,
      meaning: description,
      fallback: fallback === undefined ? undefined : String(fallback),
      required: !absent.success,
      choices,
      pattern: declared.pattern ?? patterns[type] ?? patterns[format],
      isRefused: declared.not !== undefined,
      common: name in commonConfig,
    }
  })
  return [...variables.filter(({ common }) => !common), ...variables.filter(({ common }) => common)]
}
