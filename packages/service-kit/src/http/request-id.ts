import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { newId } from '@notify/contracts'

const sane = /^[A-Za-z0-9_.:-]{1,128}$/

/** The caller's `X-Request-Id` if valid, else a new id. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : newId('req')
}

/** The headers of every response; browsers must not guess another media type (Fetch Standard, 3.6). */
export function answerHeaders(requestId: string): OutgoingHttpHeaders {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' }
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
