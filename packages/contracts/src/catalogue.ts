import type { EventContract } from './event.ts'
import * as contracts from './index.ts'
import { isPublic, type Route } from './route.ts'

const declared: readonly [string, unknown][] = Object.entries(contracts)

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Every route, sorted by path and method. */
export function allRoutes(): Route[] {
  return declared
    .map(([, value]) => value)
    .filter((value): value is Route => isRecord(value) && 'path' in value && 'responses' in value)
    .sort((a, b) => (`${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1))
}

/** The public routes, sorted by path and method. */
export function publicRoutes(): Route[] {
  return allRoutes().filter(isPublic)
}

/** Every event, by the name of its contract. */
export function allEvents(): ReadonlyMap<string, EventContract> {
  const isEvent = (entry: [string, unknown]): entry is [string, EventContract] =>
    isRecord(entry[1]) && 'publisher' in entry[1] && 'subject' in entry[1]
  return new Map(declared.filter(isEvent))
}
