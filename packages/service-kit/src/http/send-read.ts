import { createHash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { send } from './reply.ts'

/** Smaller answers fit into one packet as they are. */
const worthCompressingBytes = 1024

const compress = promisify(gzip)

/** Whether a list of versions (RFC 9110, 13.1.2) names this one. */
const names = (known: string | undefined, etag: string): boolean =>
  known !== undefined && (known === '*' || known.split(',').some((one) => one.trim() === etag))

/** Whether a caller takes compressed answers (RFC 9110, 12.5.3). */
export const acceptsGzip = (accepted: string | string[] | undefined): boolean =>
  /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(String(accepted ?? ''))

/** The header `Vary` of a response that may be compressed; a forwarded response may contain the encoding already. */
export function variedByEncoding({ vary }: OutgoingHttpHeaders): string {
  if (!vary) return 'Accept-Encoding'
  return /\baccept-encoding\b/i.test(String(vary)) ? String(vary) : `${vary}, Accept-Encoding`
}

/**
 * Sends the response to an external read: compressed if the caller accepts it, and 304 if the caller has this version. Lists
 * are polled and seldom change.
 * @returns the status sent
 */
export async function sendRead(
  request: Pick<IncomingMessage, 'headers'>,
  response: ServerResponse,
  { type, text, headers }: { type: string; text: string; headers: OutgoingHttpHeaders },
): Promise<200 | 304> {
  // Weak: the compressed and the plain form share it.
  const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  Object.assign(headers, { etag, vary: variedByEncoding(headers) })
  if (names(request.headers['if-none-match'], etag)) {
    if (!response.headersSent && !response.destroyed) response.writeHead(304, headers).end()
    return 304
  }
  if (text.length < worthCompressingBytes || !acceptsGzip(request.headers['accept-encoding'])) {
    send(response, 200, type, text, headers)
    return 200
  }
  const body = await compress(text)
  if (response.headersSent || response.destroyed) return 200
  const encoded = { 'content-type': type, 'content-encoding': 'gzip', 'content-length': body.length }
  response.writeHead(200, { ...headers, ...encoded }).end(body)
  return 200
}
