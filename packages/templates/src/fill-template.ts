import { AssertionError, type Liquid, LiquidError, RenderError, type Template, UndefinedVariableError } from 'liquidjs'
import { dateFilters } from './date-filters.ts'
import { defaultFormat, type Format, formatKey } from './format.ts'
import { createEngine, faultWithin, nestsDeeperThan } from './liquid-engine.ts'
import { pluralFault } from './locale-filters.ts'
import { createTemplateCache } from './template-cache.ts'
import { createsTooMuch, faultAt, TemplateFault, takesTooLong, variableMissing } from './template-fault.ts'
import {
  countPlaceholders,
  longestTemplate,
  maxDepth,
  renderLimitMs,
  requireBounds,
  requireRenderedLength,
  type TemplateForm,
  tooDeep,
} from './template-limits.ts'

const engines: Record<TemplateForm, Liquid> = {
  text: createEngine({ parseLimit: longestTemplate.text, escapes: false }),
  html: createEngine({ parseLimit: longestTemplate.html, escapes: true }),
}

// Not in createEngine: browsers only parse, and load less without them.
for (const engine of Object.values(engines))
  for (const [name, filter] of Object.entries(dateFilters(engine.filters))) engine.registerFilter(name, filter)

const bounds = { maxEntries: 1000, maxBytes: 16 * 1024 * 1024 }
const caches = { text: createTemplateCache<Template[]>(bounds), html: createTemplateCache<Template[]>(bounds) }
const bytesOfPlaceholder = 1024

interface FillOptions {
  /** Whether to cache the parsed template; not for texts written for one message. */
  remember?: boolean
  /** Remaining time in milliseconds. */
  limitMs?: number
  format?: Format
}

/**
 * Renders a template with Liquid. A single filter may exceed the limit, so call it where it can be killed.
 * @throws TemplateFault
 */
export function fillTemplate(
  form: TemplateForm,
  template: string,
  variables: Record<string, unknown>,
  { remember = true, limitMs = renderLimitMs, format = defaultFormat }: FillOptions = {},
): string {
  try {
    const steps = parse(form, template, remember)
    const options = { renderLimit: Math.max(limitMs, 0), globals: { [formatKey]: format } }
    const rendered = String(engines[form].renderSync(steps, variables, options))
    requireRenderedLength(rendered.length)
    return rendered
  } catch (error) {
    throw faultOf(error)
  }
}

/** @throws TemplateFault for a template that can never be rendered */
export function checkTemplate(form: TemplateForm, template: string): void {
  try {
    parse(form, template, false)
  } catch (error) {
    throw faultOf(error)
  }
}

function parse(form: TemplateForm, template: string, remember: boolean): Template[] {
  const known = caches[form].get(template)
  if (known) return known
  requireBounds(form, template)
  const steps = engines[form].parse(template)
  if (nestsDeeperThan(maxDepth, steps)) throw new TemplateFault(tooDeep)
  const fault = faultWithin(steps, pluralFault)
  if (fault !== undefined) throw new TemplateFault(fault)
  if (remember)
    caches[form].set(template, steps, 2 * template.length + bytesOfPlaceholder * countPlaceholders(template))
  return steps
}

/** The fault for people. @throws the error itself when the template did not cause it */
function faultOf(error: unknown): TemplateFault {
  if (error instanceof TemplateFault) return error
  if (error instanceof UndefinedVariableError) {
    const { variableName } = (error.originalError ?? {}) as { variableName?: string }
    const name = String(variableName ?? 'named in it')
    if (/^[\p{L}_]/u.test(name)) return variableMissing(name)
    return new TemplateFault(`"${name}" is neither a variable nor a number in digits, as 1500 or 0.5`)
  }
  // A template over the length limit is an AssertionError, everything else a LiquidError.
  if (!(error instanceof LiquidError || error instanceof AssertionError)) throw error
  if (/call stack/.test(error.message)) return new TemplateFault(tooDeep)
  if (/memory alloc limit exceeded/.test(error.message)) return new TemplateFault(createsTooMuch)
  if (/template render limit exceeded/.test(error.message)) return new TemplateFault(takesTooLong)
  const message = error.message.split(', line')[0]!
  // The message of a parse error quotes the template itself.
  return error instanceof RenderError ? faultAt(message, error.token.getText()) : new TemplateFault(message)
}
