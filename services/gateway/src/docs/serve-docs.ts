import type { Door } from '@notify/service-kit'
import type { Express } from 'express'
import { serveErrorPages } from './error-pages.ts'
import { serveOpenApi } from './serve-openapi.ts'
import { serveReference } from './serve-reference.ts'

/** Serves the OpenAPI file, the API reference and the pages of the error codes. */
export async function serveDocs(): Promise<(app: Express, door: Door) => void> {
  const parts = await Promise.all([serveOpenApi(), serveReference()])
  return (app, door) => {
    for (const serve of parts) serve(app, door)
    serveErrorPages(app, door)
  }
}
