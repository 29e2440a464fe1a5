import { createHash } from 'node:crypto'
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
  app.get(path, (request, response) => {
    const { status = 200, html, policy } = pageOf(request.params as Record<string, string>)
    const security = { 'Content-Security-Policy': [...strictPolicy, ...policy].join('; ') }
    withAnswerHeaders(request, response)
      .status(status)
      .set({ ...headers, ...security })
      .type('html')
      .send(html)
  })
  mountMethods(app, door, path, ['GET', 'HEAD'])
}

/** The source expression that allows exactly this inline text (Content Security Policy Level 3). */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
