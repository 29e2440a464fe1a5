import { TemplateFault } from './template-fault.ts'

/** The output of a template: `text` inserts values unchanged, `html` escapes them. */
export type TemplateForm = 'text' | 'html'

/** Maximum template length in UTF-16 code units; HTML templates may be as long as an `html_body`. */
export const longestTemplate: Record<TemplateForm, number> = { text: 20_000, html: 200_000 }
/** Parsing cost grows with placeholders rather than characters. */
const maxPlaceholders = 2000
/** Nesting limit of blocks and of brackets, which are parsed and rendered recursively. */
export const maxDepth = 32
export const tooDeep = `its blocks or brackets nest deeper than ${maxDepth} levels`
/** Maximum output characters. */
const maxRendered = 1_000_000
/** CPU time limit for the texts of a message, in milliseconds. */
export const renderLimitMs = 50

/** @throws TemplateFault for a template over a limit */
export function requireBounds(form: TemplateForm, template: string): void {
  if (template.length > longestTemplate[form])
    throw new TemplateFault(`it has more than ${longestTemplate[form]} characters`)
  if (countPlaceholders(template) > maxPlaceholders)
    throw new TemplateFault(`it has more than ${maxPlaceholders} placeholders`)
  if (bracketDepth(template) > maxDepth) throw new TemplateFault(tooDeep)
}

/** The nesting depth of brackets within one placeholder: `a[b[c]]` is 2. */
function bracketDepth(template: string): number {
  if (!template.includes('[')) return 0
  let depth = 0
  let deepest = 0
  let isInside = false
  for (const [token] of template.matchAll(/\{[{%]|[}%]\}|[[\]]/g)) {
    if (token === '[' && isInside) deepest = Math.max(deepest, ++depth)
    else if (token === ']') depth = Math.max(0, depth - 1)
    else if (token.length === 2) {
      isInside = token.startsWith('{')
      depth = 0
    }
  }
  return deepest
}

/** @throws TemplateFault for an output over the limit */
export function requireRenderedLength(length: number): void {
  if (length > maxRendered) throw new TemplateFault(`its output has more than ${maxRendered} characters`)
}

export function countPlaceholders(template: string): number {
  let count = 0
  for (let at = template.indexOf('{'); at !== -1; at = template.indexOf('{', at + 1)) {
    const next = template[at + 1]
    if (next === '{' || next === '%') count++
  }
  return count
}
