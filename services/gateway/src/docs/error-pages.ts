import { type ErrorCode, errorCodes } from '@notify/contracts'
import { errorHelp } from '@notify/contracts/error-help'
import type { Door } from '@notify/service-kit'
import type { Express } from 'express'
import { hashSource, type Page, servePages } from './page.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem }
code { font: 0.95em ui-monospace, monospace }
h1 code { font-size: 1em }
dt { font-weight: 600; margin-top: 1rem }
dd { margin: 0 }
td, th { text-align: left; padding: 0.2rem 1rem 0.2rem 0 }
`
const policy = [`style-src ${hashSource(style)}`]

const entries = Object.entries(errorCodes) as [ErrorCode, (typeof errorCodes)[ErrorCode]][]

/** Serves `/docs/errors`, a list of the error codes, and a page for each: the `type` of a problem leads there. */
export function serveErrorPages(app: Express, door: Door): void {
  const list = { html: listPage(), policy }
  // By exact code: two differ only in letter case, which the paths of Express ignore.
  const pages = new Map<string, Page>(entries.map(([code]) => [code, { html: errorPage(code), policy }]))
  servePages(app, door, '/docs/errors', () => list)
  servePages(app, door, '/docs/errors/:code', ({ code = '' }) => pages.get(code) ?? { ...list, status: 404 })
}

function listPage(): string {
  const rows = entries.map(
    ([code, { status, title }]) =>
      `<tr><td>${status}</td><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${escapeHtml(title)}</td></tr>`,
  )
  return frame(
    'Errors',
    `<h1>Errors</h1><table><thead><tr><th>Status</th><th>Code</th><th>Title</th></tr></thead><tbody>${rows.join('')}</tbody></table>`,
  )
}

function errorPage(code: ErrorCode): string {
  const { status, title } = errorCodes[code]
  const { meaning, action } = errorHelp[code]
  return frame(
    title,
    `<h1>${escapeHtml(title)}</h1><p><code>${code}</code>, HTTP status ${status}</p>` +
      `<dl><dt>Meaning</dt><dd>${escapeHtml(meaning)}</dd><dt>What to do</dt><dd>${escapeHtml(action)}</dd></dl>` +
      `<p><a href="/docs/errors">All errors</a> · <a href="/docs">API reference</a></p>`,
  )
}

function frame(title: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body><main>${body}</main></body></html>`
  )
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
