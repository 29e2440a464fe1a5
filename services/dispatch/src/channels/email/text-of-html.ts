import { ownLoopTurn } from '@notify/service-kit'
import type { FormatCallback, HtmlToTextOptions } from 'html-to-text'

/** What is converted at most: it takes some tens of milliseconds, in which the process does nothing else. */
const mostCharacters = 100_000
const mostTags = 10_000
/** Each longer one has a turn of the event loop of its own. */
const quickly = 20_000

/** Why no text is made of HTML; undefined if one is. */
export function conversionFault(html: string): string | undefined {
  if (html.length > mostCharacters) return `has more than ${mostCharacters} characters`
  let tags = 0
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) tags += 1
  return tags > mostTags ? `has more than ${mostTags} tags` : undefined
}

/** Elements within each other; a table in a table adds four. */
export const mostNested = 100
/** Stands for what was left out: a noncharacter of Unicode, which no text has. */
const leftOut = '\uffff'

/** What is read of an HTML text, so that one that is made to be slow is not. */
const limits = { maxInputLength: mostCharacters, maxDepth: mostNested, maxChildNodes: mostTags, ellipsis: leftOut }

/** What is beside each other stays apart. */
const cell: FormatCallback = ({ children }, walk, builder) => {
  walk(children, builder)
  builder.addInline(' ')
}

const options: HtmlToTextOptions = {
  wordwrap: false,
  limits,
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, linkBrackets: ['(', ')'] } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    // Layouts are made of tables. Never `dataTable`: one cell with a large rowspan keeps it busy for ever.
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
  ],
  formatters: { cell },
}

/** The text of an email that has HTML alone, for readers that show no HTML; undefined if a part lies too deep to be read. */
export async function textOfHtml(html: string): Promise<string | undefined> {
  // Loaded with the first such email.
  const { convert } = await import('html-to-text')
  if (html.length > quickly) await ownLoopTurn()
  const text = convert(html, options).trim()
  return text.includes(leftOut) ? undefined : text
}
