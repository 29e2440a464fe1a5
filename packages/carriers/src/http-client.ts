import type { IncomingHttpHeaders } from 'node:http'
import { exchange } from '@notify/service-kit'
import type { Agent, EnvHttpProxyAgent } from 'undici'
import type { Multipart } from './multipart.ts'
import { agentThroughProxy } from './proxy.ts'
import { readJson } from './read-json.ts'

/** A call of a carrier's API. */
export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers: Readonly<Record<string, string>>
  /** An object is sent as JSON, parameters as a form. */
  body?: object | URLSearchParams | Multipart | undefined
  traceparent?: string | undefined
}

/** A whole response. */
export interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The parsed body; undefined unless it is JSON. */
  body: unknown
}

/** Of a carrier's answer, in bytes. A longer one is cut off and thus not JSON: its status alone counts. */
export const longestAnswer = 1024 * 1024

/** Calls a carrier over kept connections. Follows no redirect: credentials go to the carrier alone. */
export interface HttpClient {
  /** @throws ExchangeError without a whole response in time; `hasLeft` says whether the request may have left */
  call(call: HttpCall): Promise<HttpAnswer>
  close(): void
}

interface Limits {
  /** Timeout of a whole exchange, in milliseconds. */
  timeoutMs: number
  maxConnections: number
}

export function createHttpClient({ timeoutMs, maxConnections }: Limits): HttpClient {
  const agent = createAgent({ timeoutMs, maxConnections })
  return {
    async call({ method, url, headers, body, traceparent }) {
      const { origin, pathname, search } = new URL(url)
      const written = body && write(body)
      const request = {
        origin,
        path: pathname + search,
        method,
        headers: {
          accept: 'application/json',
          ...(written && { 'content-type': written.contentType }),
          ...headers,
          ...(traceparent && { traceparent }),
        },
        body: written?.bytes ?? null,
      }
      const {
        statusCode: status,
        headers: answered,
        text,
      } = await exchange(agent, request, timeoutMs, { maxBytes: longestAnswer })
      return { status, headers: answered, text, body: readJson(text) }
    },
    close: () => void agent.close(),
  }
}

function write(body: object | URLSearchParams | Multipart): { contentType: string; bytes: string | Buffer } {
  if (body instanceof URLSearchParams) return { contentType: 'application/x-www-form-urlencoded', bytes: String(body) }
  return 'bytes' in body ? body : { contentType: 'application/json', bytes: JSON.stringify(body) }
}

/** A pool of connections, through the proxy of the environment if it names one. */
export function createAgent({ timeoutMs, maxConnections }: Limits): Agent | EnvHttpProxyAgent {
  // HTTP/1.1: a broken connection affects one message, and a truncated response is detectable.
  const options = { connections: maxConnections, connect: { timeout: timeoutMs }, allowH2: false }
  return agentThroughProxy(options)
}
