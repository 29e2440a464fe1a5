import { type Door, mountMethods, withAnswerHeaders } from '@notify/service-kit'
import type { Express } from 'express'
import type { Config } from '../config.ts'
import { strictPolicy } from '../docs/page.ts'
import { type BuiltFiles, createBuiltFiles } from './built-files.ts'
import { createIssuerOrigins } from './issuer-origins.ts'
import { notBuilt } from './not-built.ts'
import { previewFrame, previewPolicy } from './preview-frame.ts'

type ConsoleConfig = Pick<
  Config,
  'OIDC_ISSUER' | 'CONSOLE_CLIENT_ID' | 'CONSOLE_SCOPE' | 'CONSOLE_AUDIENCE' | 'CONSOLE_RESOURCE'
>

/** Serves the operators' console at `/console`: its settings, its hashed assets, and the index for every other path. */
export function serveConsole(
  app: Express,
  door: Door,
  config: ConsoleConfig,
  files: BuiltFiles = createBuiltFiles(),
): void {
  const settings = {
    issuer: config.OIDC_ISSUER,
    client_id: config.CONSOLE_CLIENT_ID,
    scope: config.CONSOLE_SCOPE,
    audience: config.CONSOLE_AUDIENCE,
    resource: config.CONSOLE_RESOURCE,
  }
  const originsOfIssuer = createIssuerOrigins(config.OIDC_ISSUER)
  const security = {
    'Content-Security-Policy': strictPolicy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
  }
  app.get('/console/config.json', (request, response) => {
    withAnswerHeaders(request, response)
      .set({ ...security, 'Cache-Control': 'no-cache' })
      .json(settings)
  })
  app.get('/console/preview-frame', (request, response) => {
    withAnswerHeaders(request, response)
      .set({
        ...security,
        'Content-Security-Policy': previewPolicy,
        'X-Frame-Options': 'SAMEORIGIN',
        'Cache-Control': 'no-cache',
      })
      .type('html')
      .send(previewFrame)
  })
  app.get('/console/assets/:name', async (request, response) => {
    const asset = await files.readAsset(request.params.name)
    withAnswerHeaders(request, response)
    if (!asset) {
      response.status(404).set('Cache-Control', 'no-store').type('text').send('There is no such file in this build')
      return
    }
    response
      .set({ ...security, 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Encoding': 'gzip' })
      .type(asset.type)
      .send(asset.compressed)
  })
  app.get('/console{/*path}', async (request, response) => {
    const [index, origins] = await Promise.all([files.readIndex(), originsOfIssuer()])
    const headers = index ? { 'Content-Security-Policy': policyFor(origins) } : notBuilt.headers
    withAnswerHeaders(request, response)
      .status(index ? 200 : 503)
      .set({ ...security, 'Cache-Control': 'no-cache', ...headers })
      .type('html')
      .send(index ?? notBuilt.html)
  })
  mountMethods(app, door, '/console{/*path}', ['GET', 'HEAD'])
}

/** Allows scripts, styles and calls of the own origin, and calls to the issuer, to sign in and to renew tokens. */
function policyFor(originsOfIssuer: readonly string[]): string {
  const directives = [
    ...strictPolicy,
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "frame-src 'self'",
    `connect-src 'self' ${originsOfIssuer.join(' ')}`,
  ]
  return directives.join('; ')
}
