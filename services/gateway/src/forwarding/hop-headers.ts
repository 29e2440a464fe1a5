import type { IncomingHttpHeaders } from 'node:http'
import { principalHeader } from '@notify/service-kit'

/** Headers that concern one connection only (RFC 9110 7.6.1), and the one that outsiders may not send. */
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

/** The headers of a message that go on with it. */
export function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = { ...headers }
  for (const name of notForwarded) delete kept[name]
  return kept
}
