import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Door, mountMethods, withAnswerHeaders } from '@notify/service-kit'
import type { Express } from 'express'

/** An HTML page and the only sources that it may load from. */
export interface Page {
  html: string
  /** Directives of the Content-Security-Policy beyond those of every page. */
  policy: readonly string[]
  /** Default: 200. */
  status?: number
}

/** Directives of every page: it loads only what further directives name. */
export const strictPolicy = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]

const headers = {
  'Cache-Control': 'public, max-age=300',
  'Referrer-Policy': 'no-referrer',
}

/** Serves the pages of a path, for GET and HEAD. `pageOf` finds one by the parameters of the path. */
export function servePages(
  app: Express,
  door: Door,
  path: string,
  pageOf: (params: Record<string, string>) => Page,
): void {
  app.get(path, async (request, response) => {
    const page = pageOf(request.params as Record<string, string>)
    const isCompressed = request.acceptsEncodings('gzip', 'identity') === 'gzip'
    const sent = await sentOf(page)
    const security = { 'Content-Security-Policy': [...strictPolicy, ...page.policy].join('; ') }
    withAnswerHeaders(request, response)
      .status(page.status ?? 200)
      .set({ ...headers, ...security, ETag: sent.etag, Vary: 'Accept-Encoding' })
      .type('html')
    if (isCompressed) response.set('Content-Encoding', 'gzip')
    response.send(isCompressed ? sent.compressed : page.html)
  })
  mountMethods(app, door, path, ['GET', 'HEAD'])
}

interface Sent {
  compressed: Buffer
  etag: string
}

/** Each page is compressed once. */
const known = new WeakMap<Page, Promise<Sent>>()

function sentOf(page: Page): Promise<Sent> {
  const found = known.get(page)
  if (found) return found
  const sent = promisify(gzip)(page.html).then((compressed) => ({ compressed, etag: weakTag(page.html) }))
  known.set(page, sent)
  return sent
}

/** Weak, because the compressed and the plain form share it. */
export const weakTag = (content: string | Buffer): string =>
  `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`

/** The source expression that allows exactly this inline text (Content Security Policy Level 3). */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
