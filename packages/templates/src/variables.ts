import { createEngine } from './liquid-engine.ts'
import { longestTemplate } from './template-limits.ts'

/** A variable by its segments: `customer.name` is `['customer', 'name']`; a number is a position in a list. */
export type VariablePath = readonly (string | number)[]

const engine = createEngine({ parseLimit: longestTemplate.html, escapes: false })

/** The variables that a template reads, found without rendering it; none if it cannot be parsed. Runs in browsers, too. */
export function variablesOf(template: string): VariablePath[] {
  if (!template.includes('{{') && !template.includes('{%')) return []
  try {
    return engine.globalVariableSegmentsSync(template, { partials: false }).map(known)
  } catch {
    return []
  }
}

/** The segments before the first that is a variable itself. */
function known(segments: readonly unknown[]): VariablePath {
  const end = segments.findIndex((one) => typeof one !== 'string' && typeof one !== 'number')
  return (end < 0 ? segments : segments.slice(0, end)) as VariablePath
}
