import { parse } from 'yaml'
import { readText, services } from './project.ts'

export interface Container {
  image: string
  pull_policy?: string
  build?: { context: string; dockerfile: string; args: Record<string, string> }
  entrypoint?: string[]
  command?: string[]
  user?: string
  environment?: Record<string, string | number>
  env_file?: unknown
  ports?: string[]
  volumes?: (string | { source: string; target: string })[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test?: string[]; disable?: boolean; interval?: string }
  restart: string
  init?: boolean
  read_only?: boolean
  cap_drop?: string[]
  cap_add?: string[]
  network_mode?: string
  security_opt?: string[]
  stop_grace_period?: string
}

/** docker-compose.yml with its merges resolved and its variables as written. */
export const containers = (
  parse(readText('docker-compose.yml'), { merge: true }) as { services: Record<string, Container> }
).services

/** The containers that run the seven services, with the service's name; dispatch is two. */
export const serviceContainers = Object.entries(containers).flatMap(([name, container]) => {
  const service = services.find((service) => name === service || name.startsWith(`${service}-`))
  return service ? [[name, service, container] as const] : []
})

export interface Reference {
  name: string
  /** Undefined when the variable has to be set. */
  fallback?: string
}

/** The variables that compose puts in for `${NAME}`, `${NAME:-fallback}` and `${NAME:?message}`. */
export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g)].map(([, name, kind, rest]) => ({
    name: name!,
    ...(kind === '-' ? { fallback: rest! } : {}),
  }))
}

/** The volumes of a container: their place in it by their name. */
export function volumesOf({ volumes = [] }: Container): Record<string, string> {
  const short = volumes.filter((volume) => typeof volume === 'string' && !volume.startsWith('.')) as string[]
  return Object.fromEntries(short.map((volume) => volume.split(':').slice(0, 2) as [string, string]))
}

/** A container's environment as compose gives it, with these values for its variables. */
export function environmentOf({ environment = {} }: Container, values: Record<string, string>): Record<string, string> {
  const names = Object.keys(environment)
  const filled = fillIn(Object.values(environment).map(String), values)
  return Object.fromEntries(names.map((name, i) => [name, filled[i]!]))
}

/** Texts as compose gives them, with these values for its variables. */
function fillIn(texts: string[], values: Record<string, string>): string[] {
  return texts.map((text) =>
    text.replace(/\$\{[^}]*\}/g, (reference) => {
      const [{ name, fallback } = { name: '' }] = referencesIn(reference)
      return values[name] ?? fallback ?? ''
    }),
  )
}
