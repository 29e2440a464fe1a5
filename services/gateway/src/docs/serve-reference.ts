import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Door, mountMethods, withAnswerHeaders } from '@notify/service-kit'
import type { Express } from 'express'
import { servePages } from './page.ts'

/** The bundle for browsers is not among the exports of its package. */
const bundle = new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference'))

/** Nothing is requested from other origins: no fonts, no proxy, no telemetry. */
const settings = {
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

const htmlWith = (scriptPath: string) =>
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
  '<title>API reference</title></head><body>' +
  `<script id="api-reference" data-url="/content/openapi.json" data-configuration='${JSON.stringify(settings)}'></script>` +
  `<script src="${scriptPath}"></script></body></html>`

const policy = [
  "script-src 'self'",
  // Scalar sets styles from its script, which no hash can name.
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
]

/** Serves `/docs`, the API reference by Scalar, from our own origin. */
export async function serveReference(): Promise<(app: Express, door: Door) => void> {
  const hash = createHash('sha256')
    .update(await readFile(bundle))
    .digest('hex')
  const scriptPath = `/docs/reference-${hash.slice(0, 12)}.js`
  // Compressed once, at the first request; every browser accepts gzip.
  let compressed: Promise<Buffer> | undefined
  return (app, door) => {
    const page = { html: htmlWith(scriptPath), policy }
    servePages(app, door, '/docs', () => page)
    app.get(scriptPath, async (request, response) => {
      compressed ??= readFile(bundle).then((script) => promisify(gzip)(script))
      withAnswerHeaders(request, response)
        .set({ 'Content-Encoding': 'gzip', 'Cache-Control': 'public, max-age=31536000, immutable' })
        .type('text/javascript')
        .send(await compressed)
    })
    mountMethods(app, door, scriptPath, ['GET', 'HEAD'])
  }
}
