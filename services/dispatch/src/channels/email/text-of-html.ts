import type { InTurn } from '@notify/templates'
import type { FormatCallback, HtmlToTextOptions } from 'html-to-text'
import { writeMarkers } from './line-markers.ts'
import { blockquote, orderedList, unorderedList } from './list-formatters.ts'

/** What is converted at most: it takes some tens of milliseconds, in which the process does nothing else. */
const mostCharacters = 100_000
const mostTags = 10_000
/** What takes a millisecond at most: it is converted at once, without a charge. */
const quick = { characters: 5000, tags: 100 }
/** The most characters of a text that is made: markers of lists and quotes before each line make it longer than its HTML. */
const longestText = 1_000_000

/** Why no text is made of HTML; undefined if one is. */
export function conversionFault(html: string): string | undefined {
  if (html.length > mostCharacters) return `has more than ${mostCharacters} characters`
  return tagsIn(html) > mostTags ? `has more than ${mostTags} tags` : undefined
}

function tagsIn(html: string): number {
  let tags = 0
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) tags += 1
  return tags
}

/** Elements within each other; a table in a table adds four. */
const mostNested = 100
/** Stands for what was left out: a noncharacter of Unicode, which no text has. */
const leftOut = '\uffff'

/** What is read of an HTML text, so that one that is made to be slow is not. */
const limits = { maxInputLength: mostCharacters, maxDepth: mostNested, maxChildNodes: mostTags, ellipsis: leftOut }

/** What is beside each other stays apart. */
const cell: FormatCallback = ({ children }, walk, builder) => {
  walk(children, builder)
  builder.addInline(' ')
}

/** A link in a link, as after a missing end tag. The formatter of the library would read each word once for each link around it. */
const link: FormatCallback = (elem, walk, builder, settings) => {
  let around = elem.parent
  while (around && !(around.name === 'a' && around.attribs.href)) around = around.parent
  if (!around) return builder.options.formatters.anchor!(elem, walk, builder, settings)
  walk(elem.children, builder)
  const href = (elem.attribs.href ?? '').replace(/^mailto:/, '')
  if (href !== '' && !href.startsWith('#')) builder.addInline(` (${href})`, { noWordTransform: true })
}

const options: HtmlToTextOptions = {
  wordwrap: false,
  limits,
  selectors: [
    { selector: 'img', format: 'skip' },
    {
      selector: 'a',
      format: 'link',
      options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, linkBrackets: ['(', ')'] },
    },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    // Layouts are made of tables. Never `dataTable`: one cell with a large rowspan keeps it busy for ever.
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
  ],
  formatters: { cell, link, unorderedList, orderedList, blockquote },
}

type Convert = (html: string) => string
type Made = { text: string } | { fault: string }

let converter: Promise<Convert> | undefined

/**
 * The text of an email that has HTML alone, for readers that show no HTML; or why none is made of it.
 * @throws Problem `rate_limited` of `inTurn`
 */
export async function textOfHtml(html: string, inTurn: InTurn): Promise<Made> {
  const fault = conversionFault(html)
  if (fault) return { fault }
  // Loaded with the first such email.
  converter ??= import('html-to-text').then(({ compile }) => compile(options))
  const convert = await converter
  const isQuick = html.length <= quick.characters && tagsIn(html) <= quick.tags
  return isQuick ? makeText(convert, html) : inTurn(() => makeText(convert, html))
}

function makeText(convert: Convert, html: string): Made {
  let converted: string
  try {
    converted = convert(html)
  } catch {
    return { fault: 'cannot be converted to text' }
  }
  if (converted.includes(leftOut)) return { fault: `has elements nested more than ${mostNested} deep` }
  const text = writeMarkers(converted, longestText)?.trim()
  if (text === undefined) return { fault: `gives a text of more than ${longestText} characters` }
  return text === '' ? { fault: 'has no text' } : { text }
}
