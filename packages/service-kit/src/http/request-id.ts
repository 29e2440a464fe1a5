import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { newId } from '@notify/contracts'

const sane = /^[A-Za-z0-9_.:-]{1,128}$/

/** The caller's `X-Request-Id` if valid, else a new id. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : newId('req')
}

/**
 * The headers of every response. Browsers must not guess another media type (Fetch Standard, 3.6), and ask for pages
 * of this host by HTTPS only, for a year after one came by HTTPS (RFC 6797; without TLS they ignore the header).
 */
export function answerHeaders(requestId: string): OutgoingHttpHeaders {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000',
  }
}

/** Sets the headers of every response on one outside the contracts. */
export function withAnswerHeaders<Response extends ServerResponse>(
  { headers }: Pick<IncomingMessage, 'headers'>,
  response: Response,
): Response {
  const all = answerHeaders(requestIdOf(headers['x-request-id']))
  for (const name in all) response.setHeader(name, all[name]!)
  return response
}
