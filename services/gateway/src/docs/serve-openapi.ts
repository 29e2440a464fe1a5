import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Door, mountMethods, withAnswerHeaders } from '@notify/service-kit'
import type { Express } from 'express'
import { weakTag } from './page.ts'

const file = new URL('../../../../content/openapi.json', import.meta.url)
const path = '/content/openapi.json'

/** Bytes, because text would be encoded for each caller. */
export const readOpenApi = (): Promise<Buffer> => readFile(file)

/** Serves the committed OpenAPI file, compressed for callers that accept it. A caller that has this version gets 304. */
export async function serveOpenApi(bytes: Buffer): Promise<(app: Express, door: Door) => void> {
  const compressed = await promisify(gzip)(bytes, { level: 9 })
  const etag = weakTag(bytes)
  return (app, door) => {
    app.get(path, (request, response) => {
      const isCompressed = request.acceptsEncodings('gzip', 'identity') === 'gzip'
      withAnswerHeaders(request, response)
        .type('application/json')
        .set({ 'Cache-Control': 'public, max-age=300', ETag: etag, Vary: 'Accept-Encoding' })
      if (isCompressed) response.set('Content-Encoding', 'gzip')
      response.send(isCompressed ? compressed : bytes)
    })
    mountMethods(app, door, path, ['GET', 'HEAD'])
  }
}
