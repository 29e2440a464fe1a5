import type { IncomingMessage } from 'node:http'
import { isTraceparent } from './tracing.ts'

const name = 'traceparent='

/**
 * The trace that a request belongs to: of its `traceparent` header, or of the query, where we put it into the addresses that
 * carriers call back. They know nothing of traces, and repeat the address.
 */
export function traceparentOf({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): string | undefined {
  const { traceparent } = headers
  if (typeof traceparent === 'string' && isTraceparent(traceparent)) return traceparent
  const query = url.indexOf('?')
  const at = query === -1 ? -1 : url.indexOf(name, query)
  if (at === -1 || !/[?&]/.test(url.charAt(at - 1))) return undefined
  const text = url.slice(at + name.length).split('&', 1)[0]
  return isTraceparent(text) ? text : undefined
}
