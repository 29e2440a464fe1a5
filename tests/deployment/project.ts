import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

/** The folders of services/: what has to be deployed. */
export const services = readdirSync(join(root, 'services'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()

export function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** What a zod schema is used for here; zod itself is a dependency of the packages, not of the root. */
interface Schema {
  parse(value: unknown): unknown
  safeParse(value: unknown): { success: boolean; error?: { issues: { message: string }[] } }
}

/** A service's environment variables, from its own declaration. */
export interface Variables {
  schema: Schema & { shape: Record<string, Schema> }
  known: string[]
  required: string[]
}

/** Reads `services/<name>/src/config.ts`. */
export async function variablesOf(service: string): Promise<Variables> {
  const file = join(root, 'services', service, 'src', 'config.ts')
  const { Config: schema } = (await import(file)) as { Config: Variables['schema'] }
  const known = Object.keys(schema.shape)
  return { schema, known, required: known.filter((name) => !schema.shape[name]!.safeParse(undefined).success) }
}

/** What the configuration says against a value that a deployment file gives; an empty one counts as absent. */
export function faultOf({ schema }: Variables, name: string, value: string): string | undefined {
  const result = schema.shape[name]?.safeParse(value === '' ? undefined : value)
  return result?.error && `${name}: ${result.error.issues[0]?.message}`
}

/** How long the service may take to end after SIGTERM, in milliseconds. */
export function drainMsOf({ schema }: Variables, environment: Record<string, string | undefined>): number {
  const read = (name: string) => schema.shape[name]!.parse(environment[name]) as number
  return read('DRAIN_DELAY') + read('SHUTDOWN_TIMEOUT')
}
