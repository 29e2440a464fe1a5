import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { principalHeader } from '@notify/service-kit'

/** Hop-by-hop headers (RFC 9110, 7.6.1), the internal principal header, and what would compress between the processes. */
const notForwarded = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  principalHeader,
]

/** The headers of a request that is passed through, which the owner judges by the caller's address. */
export function passedOn({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, requestId: string) {
  const { 'x-forwarded-for': before } = headers
  const peer = socket.remoteAddress ?? ''
  const callers = before ? `${before}, ${peer}` : peer
  return forwarded({ ...headers, 'x-request-id': requestId, 'x-forwarded-for': callers })
}

/** The headers to forward. */
export function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = { ...headers }
  for (const name of notForwarded) delete kept[name]
  return kept
}
