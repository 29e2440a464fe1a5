import { Problem } from '@notify/service-kit'
import { AssertionError, Liquid, LiquidError, type Template, UndefinedVariableError } from 'liquidjs'
import { fillPlain, type PlainTemplate, parsePlain } from './plain-template.ts'

/**
 * Templates come from customers: no file access, no endless loops, only own properties, and an undefined variable is an
 * error. By default liquidjs would let `{% include "package.json" %}` read the server's files.
 */
const text = new Liquid({
  templates: {},
  strictVariables: true,
  lenientIf: true,
  strictFilters: true,
  ownPropertyOnly: true,
  parseLimit: 20_000,
  renderLimit: 50,
  memoryLimit: 1_000_000,
})
for (const tag of ['include', 'render', 'layout', 'block']) delete text.tags[tag]
delete text.filters.raw

interface Parsed {
  plain: PlainTemplate | undefined
  steps: Template[]
}

const parsed = new Map<string, Parsed>()
const maxParsed = 1000

/**
 * Fills a plain-text template.
 * @throws Problem `template_variable_missing` naming the variable, `validation_failed` when the template cannot be filled
 */
export function renderText(template: string, variables: Record<string, unknown>): string {
  try {
    let known = parsed.get(template)
    if (!known) {
      if (parsed.size >= maxParsed) parsed.clear()
      known = { plain: parsePlain(template), steps: text.parse(template) }
      parsed.set(template, known)
    }
    const filled = known.plain && fillPlain(known.plain, variables)
    return filled ?? String(text.renderSync(known.steps, variables))
  } catch (error) {
    // A template over the length limit is an AssertionError, everything else a LiquidError.
    if (!(error instanceof LiquidError || error instanceof AssertionError)) throw error
    if (error instanceof UndefinedVariableError) {
      const name = String((error.originalError as { variableName?: string } | undefined)?.variableName ?? 'named in it')
      throw new Problem('template_variable_missing', `The template needs the variable ${name}; give it in data`, {
        errors: [{ path: `data.${name}`, message: 'is needed by the template' }],
      })
    }
    throw new Problem('validation_failed', `The template cannot be filled: ${error.message.split(', line')[0]}`)
  }
}
