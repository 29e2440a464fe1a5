import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Door, mountMethods, withAnswerHeaders } from '@notify/service-kit'
import type { Express } from 'express'

const file = new URL('../../../../content/openapi.json', import.meta.url)
const path = '/content/openapi.json'

/** Serves the committed OpenAPI file, compressed for callers that accept it. A caller that has this version gets 304. */
export async function serveOpenApi(): Promise<(app: Express, door: Door) => void> {
  // Sends bytes; text would be encoded for each caller.
  const bytes = await readFile(file)
  const compressed = await promisify(gzip)(bytes, { level: 9 })
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return (app, door) => {
    app.get(path, (request, response) => {
      const isCompressed = request.acceptsEncodings('gzip', 'identity') === 'gzip'
      withAnswerHeaders(request, response)
        .type('application/json')
        .set({ 'Cache-Control': 'public, max-age=300', ETag: `W/"${digest}"`, Vary: 'Accept-Encoding' })
      if (isCompressed) response.set('Content-Encoding', 'gzip')
      response.send(isCompressed ? compressed : bytes)
    })
    mountMethods(app, door, path, ['GET', 'HEAD'])
  }
}
