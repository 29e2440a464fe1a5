import { readFile } from 'node:fs/promises'
import type { Express } from 'express'

const file = new URL('../../../../content/openapi.json', import.meta.url)

/** Serves the committed OpenAPI file as it is. */
export async function serveOpenApi(): Promise<(app: Express) => void> {
  const text = await readFile(file, 'utf8')
  return (app) => {
    app.get('/content/openapi.json', (_request, response) => {
      response.type('application/json').set('Cache-Control', 'public, max-age=300').send(text)
    })
  }
}
