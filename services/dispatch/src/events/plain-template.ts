/** A template of text and bare variables, `Hi {{name}}`: the form that most have. Literals and names alternate. */
export type PlainTemplate = readonly string[]

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/
/** Words that Liquid reads as values, not as variables. */
const reserved = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank'])

/** Takes a template apart; `undefined` when it needs more of Liquid than bare variables. */
export function parsePlain(template: string): PlainTemplate | undefined {
  const parts = template.split(placeholder)
  const beyondPlain = parts.some((part, index) => (index % 2 === 0 ? /\{\{|\{%/.test(part) : reserved.has(part)))
  return beyondPlain ? undefined : parts
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }

/** Text that stands for itself in HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

/**
 * Fills it, many times faster than Liquid does.
 * @param treat what is done to the texts that are filled in
 * @returns `undefined` when a value is missing or is not plain text or a number: Liquid then decides what that means
 */
export function fillPlain(
  parts: PlainTemplate,
  variables: Record<string, unknown>,
  treat: (text: string) => string = (text) => text,
): string | undefined {
  let text = ''
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]!
    if (index % 2 === 0) {
      text += part
      continue
    }
    const value = Object.hasOwn(variables, part) ? variables[part] : undefined
    if (typeof value !== 'string' && typeof value !== 'number') return undefined
    text += typeof value === 'string' ? treat(value) : value
  }
  return text
}
