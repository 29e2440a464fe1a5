import { roundTo } from '../statistics.ts'

/** Counters by kind and name, such as `counts.statements.gateway`: totals since the start, or per message. */
export type Counts = Record<string, Record<string, number>>

/** The difference of two readings, divided by `messages`. */
export function each(before: Counts, after: Counts, messages: number): Counts {
  return mapCounts(after, (value, kind, name) => (value - (before[kind]?.[name] ?? 0)) / messages)
}

/** The sum over the names of a kind. */
export function total(counts: Counts, kind: string): number {
  return Object.values(counts[kind] ?? {}).reduce((sum, value) => sum + value, 0)
}

/** The counters of a kind that are at least `least`, largest first, rounded to `digits`. */
export function largest(counts: Counts, kind: string, least: number, digits: number): Record<string, number> {
  const kept = Object.entries(counts[kind] ?? {}).filter(([, value]) => value >= least)
  return Object.fromEntries(kept.sort(([, a], [, b]) => b - a).map(([name, value]) => [name, roundTo(value, digits)]))
}

function mapCounts(counts: Counts, of: (value: number, kind: string, name: string) => number): Counts {
  const mapOne = (kind: string, byName: Record<string, number>) =>
    Object.fromEntries(Object.entries(byName).map(([name, value]) => [name, of(value, kind, name)]))
  return Object.fromEntries(Object.entries(counts).map(([kind, byName]) => [kind, mapOne(kind, byName)]))
}
