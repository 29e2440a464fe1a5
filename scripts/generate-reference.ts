// Generates docs/reference.md: alerts, metrics and variables, from their declarations.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { serviceNames } from '@notify/contracts'
import { parse } from 'yaml'
import { anchorOf, markdownTable } from './markdown.ts'
import { declaredMetrics } from './metric-declarations.ts'
import { variablesOf } from './service-declarations.ts'

const root = join(import.meta.dirname, '..')
const everywhere = ['packages/service-kit', 'packages/database', 'packages/messaging']

interface Rule {
  alert?: string
  for?: string
  labels?: { severity?: string }
  annotations?: { summary?: string; runbook_url?: string }
}

/** The text of docs/reference.md. */
export async function referenceDocument(): Promise<string> {
  return `# Reference of operations

Generated from the declarations by \`npm run generate\`. What to do is in [night.md](night.md) and [operations.md](operations.md).

## Alerts

\`page\` needs somebody at once, \`ticket\` can wait for the morning. An alert fires when its condition has lasted for the time named.

${alertTable()}

## Metrics

A histogram has the series \`_bucket\`, \`_sum\` and \`_count\`. [What to watch](operations.md#what-to-watch) says which ones matter.

${metricTable()}

## Variables

Meaning and default of a variable are in the README of each service that reads it.

${await variableTable()}
`
}

function alertTable(): string {
  const files = globSync('infra/monitoring/rules/*.yml', { cwd: root }).sort()
  const rules = files.flatMap((file) =>
    (parse(readFileSync(join(root, file), 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
      (group) => group.rules,
    ),
  )
  const alerts = rules.filter(({ alert }) => alert !== undefined)
  return markdownTable(
    ['Alert', 'Severity', 'For', 'Reports', 'What to do'],
    alerts.map(({ alert, labels, annotations, for: lasting }) => [
      `\`${alert}\``,
      labels?.severity ?? '',
      lasting ?? 'at once',
      withoutTemplates(annotations?.summary ?? ''),
      paragraph(annotations?.runbook_url ?? ''),
    ]),
  )
}

/** A summary with `N` for its value, and each label in angle brackets. */
const withoutTemplates = (summary: string) =>
  summary.replace(/\{\{ *\$labels\.(\w+)[^}]*\}\}/g, '‹$1›').replace(/\{\{[^}]*\}\}/g, 'N')

/** A link with the title of the paragraph. */
function paragraph(runbook: string): string {
  const [file, anchor] = runbook.replace(/^https:\/\/[^/]+\//, '').split('#') as [string, string | undefined]
  const titles = [...readFileSync(join(root, file), 'utf8').matchAll(/^#{2,} (.+)$/gm)]
  const [, title] = titles.find(([, title]) => anchorOf(title!) === anchor) ?? []
  if (title === undefined) throw new Error(`${runbook} is named by an alert and does not exist`)
  return `[${title}](${basename(file)}#${anchor})`
}

function metricTable(): string {
  const metrics = declaredMetrics().toSorted((a, b) => a.name.localeCompare(b.name))
  return markdownTable(
    ['Metric', 'Kind', 'Of', 'Meaning'],
    metrics.map(({ name, kind, folder, description }) => [
      `\`${name}\``,
      kind,
      everywhere.includes(folder) ? 'every service' : folder.replace('services/', ''),
      description,
    ]),
  )
}

async function variableTable(): Promise<string> {
  const readers = new Map<string, string[]>()
  for (const service of serviceNames)
    for (const { name } of await variablesOf(service)) readers.set(name, [...(readers.get(name) ?? []), service])
  const rows = [...readers].toSorted(([a], [b]) => a.localeCompare(b))
  return markdownTable(
    ['Variable', 'Of'],
    rows.map(([name, services]) => [
      `\`${name}\``,
      services.length === serviceNames.length ? 'every service' : services.join(', '),
    ]),
  )
}
