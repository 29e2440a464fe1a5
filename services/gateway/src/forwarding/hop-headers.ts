import type { IncomingHttpHeaders } from 'node:http'
import { principalHeader } from '@notify/service-kit'

/** Hop-by-hop headers (RFC 9110, 7.6.1), and the internal principal header. */
const notForwarded = [
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

/** The headers to forward. */
export function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = { ...headers }
  for (const name of notForwarded) delete kept[name]
  return kept
}
