import { declaredMetrics } from '../../scripts/metric-declarations.ts'

/** The counters that do not exist before they are counted up. */
export function openCounters(): string[] {
  return declaredMetrics()
    .filter(({ kind, open }) => kind === 'counter' && open)
    .map(({ name }) => name)
    .sort()
}

/** The names under which Prometheus sees the metrics that the sources declare. */
export function exportedMetrics(): Set<string> {
  return new Set(
    declaredMetrics().flatMap(({ kind, name }) =>
      kind === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    ),
  )
}

/** The names of metrics in a PromQL expression: what is no function, keyword, label or text. */
export function metricsIn(expr: string): string[] {
  const bare = expr
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, ' ')
    .replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/\boffset \w+/g, ' ')
  return [...bare.matchAll(/\b[a-z_][\w:]*\b(?!\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !['and', 'or', 'unless', 'sum', 'max'].includes(name))
}
