import { type ErrorCode, errorCodes } from '@notify/contracts'
import { errorHelp } from '@notify/contracts/error-help'
import { escaped } from '../preference-page/escape-html.ts'
import { docsPage, type Section } from './frame.ts'
import type { Page } from './page.ts'

const path = '/docs/errors'
const entries = Object.entries(errorCodes) as [ErrorCode, (typeof errorCodes)[ErrorCode]][]

/** A page for each error code, to which the `type` of a problem leads, and a list of them. */
export function errorPages(sections: readonly Section[]): { list: Page; pageOf: (code: string) => Page } {
  const list = docsPage(sections, { path, title: 'Errors' }, listOfCodes())
  // By exact code: two differ only in letter case, which the paths of Express ignore.
  const pages = new Map<string, Page>(
    entries.map(([code, { title }]) => [code, docsPage(sections, { path, title }, helpFor(code))]),
  )
  const missing = { ...list, status: 404 }
  return { list, pageOf: (code) => pages.get(code) ?? missing }
}

function listOfCodes(): string {
  const rows = entries.map(
    ([code, { status, title }]) =>
      `<tr><td>${status}</td><td><a href="${path}/${code}"><code>${code}</code></a></td><td>${escaped(title)}</td></tr>`,
  )
  return (
    '<h1>Errors</h1><p>Every error is a problem (RFC 9457) with one of these codes.</p>' +
    `<table><thead><tr><th>Status</th><th>Code</th><th>Title</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
  )
}

function helpFor(code: ErrorCode): string {
  const { status, title } = errorCodes[code]
  const { meaning, action } = errorHelp[code]
  return (
    `<h1>${escaped(title)}</h1><p><code>${code}</code>, HTTP status ${status}</p>` +
    `<dl><dt>Meaning</dt><dd>${escaped(meaning)}</dd><dt>What to do</dt><dd>${escaped(action)}</dd></dl>` +
    `<p><a href="${path}">All errors</a></p>`
  )
}
