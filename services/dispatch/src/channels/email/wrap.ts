import { randomBytes } from 'node:crypto'

/** Where the content of an email stands in its layout. */
const placeholder = /\{\{-?[ \t\r\n]{0,20}content[ \t\r\n]{0,20}-?\}\}/g

/** Stands for the content while a layout is rendered. Nobody outside of the process knows it. */
const mark = `content-${randomBytes(16).toString('hex')}`

/** The text of a layout before and after its content; undefined unless it prints the content once. */
export function partsAround(layout: string): [before: string, after: string] | undefined {
  const [found, more] = [...layout.matchAll(placeholder)]
  if (!found || more) return undefined
  const [token] = found
  const before = layout.slice(0, found.index)
  const after = layout.slice(found.index + token.length)
  return [token.startsWith('{{-') ? before.trimEnd() : before, token.endsWith('-}}') ? after.trimStart() : after]
}

/** A layout that renders with a mark for its content, which so reaches no filter and no escaping. */
export function markContent(layout: string): string {
  return partsAround(layout)?.join(mark) ?? layout
}

/**
 * A rendered layout around a rendered content.
 * @returns undefined for a layout without a mark for its content, or with several
 */
export function wrapped(layout: string, content: string): string | undefined {
  const parts = layout.split(mark, 3)
  return parts.length === 2 ? parts.join(content) : undefined
}
