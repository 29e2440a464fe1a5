import { readFile } from 'node:fs/promises'
import { type Door, mountMethods, withRequestId } from '@notify/service-kit'
import type { Express } from 'express'

const file = new URL('../../../../content/openapi.json', import.meta.url)
const path = '/content/openapi.json'

/** Serves the committed OpenAPI file. */
export async function serveOpenApi(): Promise<(app: Express, door: Door) => void> {
  // Sends bytes; text would be encoded for each caller.
  const bytes = await readFile(file)
  return (app, door) => {
    app.get(path, (request, response) => {
      withRequestId(request, response).type('application/json').set('Cache-Control', 'public, max-age=300').send(bytes)
    })
    mountMethods(app, door, path, ['GET', 'HEAD'])
  }
}
