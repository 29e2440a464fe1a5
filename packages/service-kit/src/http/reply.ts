import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Problem } from '../problem.ts'

/** A response with its own headers or text; handlers with only a body return the body. */
export class Reply {
  readonly status: number
  readonly text: string
  readonly headers: OutgoingHttpHeaders

  /** @param text sent byte for byte, of the media type in the contract */
  constructor(status: number, text: string, headers: OutgoingHttpHeaders = {}) {
    this.status = status
    this.text = text
    this.headers = headers
  }
}

/** Writes a whole response. Without text it has no Content-Type, and a 204 no length (RFC 9110, 8.6). */
export function send(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: OutgoingHttpHeaders,
): void {
  if (response.headersSent || response.destroyed) return
  if (text !== '') headers['content-type'] = type
  if (status !== 204) headers['content-length'] = Buffer.byteLength(text)
  response.writeHead(status, headers)
  response.end(text)
}

/** Caches may store some errors by default (RFC 9110, 15.1). */
export const noStore = { 'cache-control': 'no-store' }

/** Writes RFC 9457 problem details. */
export function sendProblem(
  response: ServerResponse,
  problem: Problem,
  { requestId, docsUrl, headers }: { requestId: string; docsUrl: string; headers: OutgoingHttpHeaders },
): void {
  const { status, code } = problem
  const body = { type: `${docsUrl}/errors/${code}`, ...problem.toBody(), request_id: requestId }
  const all = { ...noStore, ...headers, ...problem.headers }
  send(response, status, 'application/problem+json', JSON.stringify(body), all)
}
