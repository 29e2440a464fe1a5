import { Problem } from '@notify/service-kit'
import { AssertionError, LiquidError, type Template, UndefinedVariableError } from 'liquidjs'
import { createEngine, nestsDeeperThan } from './liquid-engine.ts'
import { escapeHtml, fillPlain, type PlainTemplate, parsePlain } from './plain-template.ts'
import { createTemplateCache } from './template-cache.ts'

interface Parsed {
  plain: PlainTemplate | undefined
  steps: Template[]
}

/** What is written with a template: `text` takes variables as they are, `html` escapes them. */
export type TemplateForm = 'text' | 'html'

/** An HTML template may be as long as an `html_body`; text is shorter by nature. */
const engines = {
  text: createEngine({ parseLimit: 20_000, escapes: false }),
  html: createEngine({ parseLimit: 200_000, escapes: true }),
}
/** Parsing takes time, and room, by placeholders rather than by characters. */
const maxPlaceholders = 2000
const maxDepth = 32
const maxRendered = 1_000_000

const bounds = { maxEntries: 1000, maxBytes: 16 * 1024 * 1024 }
const caches = { text: createTemplateCache<Parsed>(bounds), html: createTemplateCache<Parsed>(bounds) }
const bytesOfPlaceholder = 1024

export interface RenderOptions {
  /** The field of the request that gives the variables, for refusals that name it. */
  field?: 'data' | 'template_data'
  /** The field of the request that is the template, when the caller wrote it. */
  part?: 'subject' | 'body' | 'html_body'
  /** Whether the template is likely to come again; not so for texts that a caller wrote for one message. */
  remember?: boolean
}

/**
 * Fills a plain-text template.
 * @throws Problem `template_variable_missing` naming the variable, `validation_failed` when the template cannot be filled
 */
export function renderText(template: string, variables: Record<string, unknown>, options: RenderOptions = {}): string {
  return render('text', template, variables, options)
}

/**
 * Fills an HTML template; what is filled in is escaped.
 * @throws Problem `template_variable_missing` naming the variable, `validation_failed` when the template cannot be filled
 */
export function renderHtml(template: string, variables: Record<string, unknown>, options: RenderOptions = {}): string {
  return render('html', template, variables, options)
}

/** What is wrong with a template before it is ever filled; `undefined` when nothing is. */
export function faultOf(form: TemplateForm, template: string): string | undefined {
  try {
    parse(form, template)
    return undefined
  } catch (error) {
    return describe(error)
  }
}

function render(
  form: TemplateForm,
  template: string,
  variables: Record<string, unknown>,
  { field = 'data', part, remember = true }: RenderOptions,
): string {
  try {
    let known = caches[form].get(template)
    if (!known) {
      known = parse(form, template)
      if (remember)
        caches[form].set(template, known, 2 * template.length + bytesOfPlaceholder * countPlaceholders(template))
    }
    const filled = known.plain && fillPlain(known.plain, variables, form === 'html' ? escapeHtml : undefined)
    const rendered = filled ?? String(engines[form].renderSync(known.steps, variables))
    // Asked before anybody reads it: the parts of a long text are not put together until then.
    if (rendered.length > maxRendered) throw new TemplateError(`what comes out has more than ${maxRendered} characters`)
    return rendered
  } catch (error) {
    if (error instanceof UndefinedVariableError) {
      const name = String((error.originalError as { variableName?: string } | undefined)?.variableName ?? 'named in it')
      throw new Problem('template_variable_missing', `The template needs the variable ${name}; give it in ${field}`, {
        errors: [{ path: `${field}.${name}`, message: 'is needed by the template' }],
      })
    }
    const fault = `cannot be filled: ${describe(error)}`
    throw new Problem(
      'validation_failed',
      `${part ?? 'The template'} ${fault}`,
      part ? { errors: [{ path: part, message: fault }] } : {},
    )
  }
}

/** A template that goes beyond our own bounds. */
class TemplateError extends Error {}

function parse(form: TemplateForm, template: string): Parsed {
  if (countPlaceholders(template) > maxPlaceholders)
    throw new TemplateError(`it has more than ${maxPlaceholders} placeholders`)
  const steps = engines[form].parse(template)
  if (nestsDeeperThan(maxDepth, steps)) throw new TemplateError(tooDeep)
  return { plain: parsePlain(template), steps }
}

const tooDeep = `its blocks nest deeper than ${maxDepth} levels`

function countPlaceholders(template: string): number {
  let count = 0
  for (let at = template.indexOf('{'); at !== -1; at = template.indexOf('{', at + 1)) {
    const next = template[at + 1]
    if (next === '{' || next === '%') count++
  }
  return count
}

/** What is wrong, for people. @throws the error itself when it does not come of the template */
function describe(error: unknown): string {
  if (error instanceof TemplateError) return error.message
  // A template over the length limit is an AssertionError, everything else a LiquidError.
  if (!(error instanceof LiquidError || error instanceof AssertionError)) throw error
  if (/call stack/.test(error.message)) return tooDeep
  return error.message.split(', line')[0]!
}
