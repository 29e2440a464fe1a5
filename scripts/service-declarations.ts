// What a service declares of itself, read where it is declared: contracts, config.ts, consumers.ts, db/.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EventContract, Route, ServiceName } from '../packages/contracts/src/index.ts'
import * as contracts from '../packages/contracts/src/index.ts'
import { subjectFilter } from '../packages/contracts/src/index.ts'
import type { Migration, Migrations } from '../packages/database/src/migrations/migration.ts'
import { commonConfig } from '../packages/service-kit/src/config.ts'

const root = join(import.meta.dirname, '..')
const sourceOf = (service: ServiceName, ...path: string[]) => join(root, 'services', service, 'src', ...path)
const exported: [string, unknown][] = Object.entries(contracts)

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** All routes, by their names in the contracts. */
export function routes(): Route[] {
  return exported.map(([, value]) => value).filter((value): value is Route => isRecord(value) && 'responses' in value)
}

/** All events, by their names in the contracts. */
export function events(): ReadonlyMap<string, EventContract> {
  const isEvent = (entry: [string, unknown]): entry is [string, EventContract] =>
    isRecord(entry[1]) && 'publisher' in entry[1] && 'subject' in entry[1]
  return new Map(exported.filter(isEvent))
}

export interface ConsumerDeclaration {
  /** Name of the event in the contracts. */
  event: string
  durable: string
  /** Fields of the subject that are narrowed; `<…>` where the source computes the value. */
  where: Record<string, string>
}

const consumerCall =
  /\bconsumer(?:<[^(]*>)?\(\s*(\w+),\s*\{\s*durable:\s*(['"`])(.+?)\2,(?:\s*where:\s*\{([^{}]*)\},)?/g

/**
 * The consumers in the text of a `consumers.ts`; each begins with its event, `durable` and, where there is one, `where`.
 * @throws Error when one of them is written in another way
 */
export function readConsumers(text: string): ConsumerDeclaration[] {
  const found = [...text.matchAll(consumerCall)].map(([, event = '', , durable = '', where = '']) => ({
    event,
    durable: durable.replace(/\$\{(\w+)\}/g, '<$1>'),
    where: Object.fromEntries(
      [...where.matchAll(/(\w+)(?::\s*['"]([^'"]*)['"])?/g)].map(([, field = '', value]) => [
        field,
        value ?? `<${field}>`,
      ]),
    ),
  }))
  const calls = [...text.matchAll(/\bconsumer(?:<[^(]*>)?\(/g)].length
  if (found.length < calls) {
    throw new Error(`only ${found.length} of ${calls} consumers begin with event, durable (a text) and where`)
  }
  return found
}

export interface Consumer extends ConsumerDeclaration {
  publisher: ServiceName
  filter: string
}

/** What a service listens to. */
export function consumersOf(service: ServiceName): Consumer[] {
  const file = sourceOf(service, 'consumers.ts')
  if (!existsSync(file)) return []
  const known = events()
  return readConsumers(readFileSync(file, 'utf8')).map((declaration) => {
    const contract = known.get(declaration.event)
    if (!contract) throw new Error(`${file} listens to ${declaration.event}, which the contracts do not know`)
    return { ...declaration, publisher: contract.publisher, filter: subjectFilter(contract, declaration.where) }
  })
}

export interface Table {
  name: string
  columns: string[]
}

/**
 * The tables of an `interface Tables`, formatted as Biome does.
 * @throws Error when a table is written in another way
 */
export function readTables(text: string): Table[] {
  const body = /^export interface Tables \{\n([\s\S]*?)^\}/m.exec(text)?.[1]
  if (body === undefined) {
    if (/export type Tables = Record<never, never>/.test(text)) return []
    throw new Error('there is no interface Tables')
  }
  const bare = body.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  const tables = [...bare.matchAll(/^ {2}(\w+): \{([\s\S]*?)(?:^ {2}| )\}$/gm)].map(([, name = '', columns = '']) => ({
    name,
    columns: [...columns.matchAll(/(?:^ {4}|[ ;] ?)(\w+): /gm)].map(([, column = '']) => column),
  }))
  const keys = [...bare.matchAll(/^ {2}\w+[?:]/gm)].length
  if (tables.length < keys) throw new Error(`only ${tables.length} of ${keys} tables list their columns`)
  return tables
}

/** The tables of a service's own, as its code sees them. */
export function tablesOf(service: ServiceName): Table[] {
  return readTables(readFileSync(sourceOf(service, 'db', 'schema.ts'), 'utf8'))
}

/** A service's migrations, those of shared tables among them. */
export async function migrationsOf(service: ServiceName): Promise<Migrations> {
  const { migrations } = (await import(sourceOf(service, 'db', 'migrations.ts'))) as { migrations: Migrations }
  return migrations
}

/** Whether a migration is a service's own: `0001-foundation`; those of shared tables end in their number. */
export const isOwnMigration = ({ name }: Migration) => /^\d{4}-/.test(name)

/** The tables that a service's migrations take over from packages/database. */
export async function sharedTablesOf(service: ServiceName): Promise<string[]> {
  const shared = (await migrationsOf(service)).filter((migration) => !isOwnMigration(migration))
  const statements = shared.flatMap((migration) => ('transaction' in migration ? migration.transaction : []))
  return statements.flatMap((text) => [...text.matchAll(/create table (\w+)/g)].map(([, table = '']) => table))
}

export interface Variable {
  name: string
  meaning: string
  /** As it would be written in the environment; absent when there is none. */
  fallback: string | undefined
  required: boolean
  choices: string[]
  /** Whether every service reads it. */
  common: boolean
}

interface Schema {
  shape: Record<string, { safeParse(value: undefined): { success: boolean; data?: unknown } }>
  toJSONSchema(options: { io: 'input'; unrepresentable: 'any' }): {
    properties?: Record<string, { description?: string; default?: unknown; enum?: string[] }>
  }
}

/** The environment variables of a service: its own first, then those of every service. */
export async function variablesOf(service: ServiceName): Promise<Variable[]> {
  const { Config } = (await import(sourceOf(service, 'config.ts'))) as { Config: Schema }
  const { properties = {} } = Config.toJSONSchema({ io: 'input', unrepresentable: 'any' })
  const variables = Object.keys(Config.shape).map((name): Variable => {
    const { description = '', default: written, enum: choices = [] } = properties[name] ?? {}
    const absent = Config.shape[name]!.safeParse(undefined)
    const fallback = written ?? (absent.success ? absent.data : undefined)
    return {
      name,
      meaning: description,
      fallback: fallback === undefined ? undefined : String(fallback),
      required: !absent.success,
      choices,
      common: name in commonConfig,
    }
  })
  return [...variables.filter(({ common }) => !common), ...variables.filter(({ common }) => common)]
}
