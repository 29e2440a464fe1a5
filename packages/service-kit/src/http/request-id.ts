import type { IncomingMessage, ServerResponse } from 'node:http'
import { newId } from '@notify/contracts'

const sane = /^[A-Za-z0-9_.:-]{1,128}$/

/** The caller's `X-Request-Id` if valid, else a new id. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : newId('req')
}

/** Sets the request id on responses outside the contracts. */
export function withRequestId<Response extends ServerResponse>(
  { headers }: Pick<IncomingMessage, 'headers'>,
  response: Response,
): Response {
  response.setHeader('x-request-id', requestIdOf(headers['x-request-id']))
  return response
}
