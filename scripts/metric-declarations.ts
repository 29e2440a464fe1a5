// Finds the metrics that sources declare: the calls counter(…), total(…), histogram(…) and gauge(…).
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export interface Metric {
  kind: 'counter' | 'histogram' | 'gauge'
  name: string
  description: string
  /** Whether its label values are unknown before they occur, so that it is absent until then. */
  open: boolean
  /** `services/<name>` or `packages/<name>`. */
  folder: string
}

const call = /\b(counter|total|histogram|gauge)\(\s*'([a-z_0-9]+)',\s*'([^']*)'(,\s*'open')?/g

export function declaredMetrics(): Metric[] {
  const files = globSync('{packages,services}/*/src/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(call)].map(([, kind, name, description, open]) => ({
      kind: kind === 'total' ? 'counter' : (kind as Metric['kind']),
      name: name!,
      description: description!,
      open: open !== undefined,
      folder: file.split('/', 2).join('/'),
    })),
  )
}
