import type { HtmlToTextOptions } from 'html-to-text'

/** The longest HTML that is converted: it takes a tenth of a second, in which the process does nothing else. */
export const mostConverted = 100_000

/** What is read of an HTML text, so that one that is made to be slow is not. */
const limits = { maxInputLength: mostConverted, maxDepth: 100, maxChildNodes: 10_000 }

const options: HtmlToTextOptions = {
  wordwrap: false,
  limits,
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, linkBrackets: ['(', ')'] } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    // Layouts are made of tables. Never `dataTable`: one cell with a large rowspan keeps it busy for ever.
    { selector: 'table', format: 'block' },
  ],
}

/** The text of an email that has HTML alone, for readers that show no HTML. */
export async function textOfHtml(html: string): Promise<string> {
  // Loaded with the first such email.
  const { convert } = await import('html-to-text')
  return convert(html, options).trim()
}
