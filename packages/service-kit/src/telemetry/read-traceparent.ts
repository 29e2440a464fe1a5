import type { IncomingMessage } from 'node:http'
import { isTraceparent } from './tracing.ts'

const name = 'traceparent='

/**
 * The `traceparent` of a request, from its header or its query: status callback addresses contain it, because carriers
 * do not support traces.
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
