import { globSync } from 'node:fs'
import { readText, root } from './project.ts'

const sources = () =>
  globSync('{packages,services}/*/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readText(file))

/** The counters that do not exist before they are counted up. */
export function openCounters(): string[] {
  const declared = sources().flatMap((text) => [...text.matchAll(/\bcounter\(\s*'([a-z_0-9]+)',\s*'[^']*',\s*'open'/g)])
  return declared.map(([, name]) => name!).sort()
}

/** The names under which Prometheus sees the metrics that the sources declare. */
export function exportedMetrics(): Set<string> {
  const declared = sources().flatMap((text) => [...text.matchAll(/\b(counter|histogram|gauge)\(\s*'([a-z_0-9]+)'/g)])
  return new Set(
    declared.flatMap(([, kind, name]) =>
      kind === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name!],
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
