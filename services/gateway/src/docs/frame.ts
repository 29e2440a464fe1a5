import { escaped } from '../preference-page/escape-html.ts'
import { hashSource, type Page } from './page.ts'
import { style } from './style.ts'

/** A link of the navigation. */
export interface Entry {
  path: string
  title: string
}

/** A heading of the navigation with its links. */
export interface Section {
  title: string
  entries: readonly Entry[]
}

const policy = [`style-src ${hashSource(style)}`, 'img-src data:']

/**
 * A page of the documentation.
 * @param body HTML with one `h1`
 */
export function docsPage(sections: readonly Section[], { path, title }: Entry, body: string): Page {
  const link = (entry: Entry) =>
    `<li><a href="${entry.path}"${entry.path === path ? ' aria-current="page"' : ''}>${escaped(entry.title)}</a></li>`
  const groups = sections.map(
    (section) => `<h2>${escaped(section.title)}</h2><ul>${section.entries.map(link).join('')}</ul>`,
  )
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">` +
    `<link rel="icon" href="data:,"><title>${escaped(title)} · Documentation</title><style>${style}</style></head>` +
    `<body><header><a href="/docs">Documentation</a><a class="narrow" href="#contents">Contents</a></header>` +
    `<div class="columns"><main>${body}</main><nav id="contents" aria-label="Contents">${groups.join('')}</nav></div></body></html>`
  return { html, policy }
}
