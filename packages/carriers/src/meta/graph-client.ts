import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { TLSSocket } from 'node:tls'
import axios from 'axios'
import { throughProxy } from '../proxy.ts'

/** A call of the Graph API. */
interface GraphCall {
  method: 'GET' | 'POST'
  url: string
  accessToken: string
  body?: object
  traceparent?: string | undefined
}

/** A response of the Graph API. */
export interface GraphAnswer {
  status: number
  retryAfter: string | undefined
  /** The parsed body; undefined unless it is JSON. */
  body: unknown
}

/** Calls the Graph API over kept connections. */
export interface GraphClient {
  /** @throws AxiosError when no complete response arrives in time; `hasLeft` is set if the request may have been sent */
  call(call: GraphCall): Promise<GraphAnswer>
  close(): void
}

const longestAnswer = 8 * 1024 * 1024

/** @param limits `timeoutMs` limits the whole exchange */
export function createGraphClient({
  timeoutMs,
  maxConnections,
}: {
  timeoutMs: number
  maxConnections: number
}): GraphClient {
  const pool = { keepAlive: true, maxSockets: maxConnections, ...throughProxy() }
  const [httpAgent, httpsAgent] = [new http.Agent(pool), new https.Agent(pool)]
  const client = axios.create({
    httpAgent,
    httpsAgent,
    maxRedirects: 0,
    maxContentLength: longestAnswer,
    responseType: 'text',
    transformResponse: (text: unknown) => text,
    validateStatus: () => true,
  })
  return {
    async call({ method, url, accessToken, body, traceparent }) {
      let hasLeft = false
      const transport = watched(url.startsWith('https:') ? https : http, () => (hasLeft = true))
      try {
        const { status, headers, data } = await client.request<string>({
          method,
          url,
          data: body,
          transport,
          headers: { authorization: `Bearer ${accessToken}`, ...(traceparent ? { traceparent } : {}) },
          signal: AbortSignal.timeout(timeoutMs),
        })
        return { status, retryAfter: headers['retry-after'] as string | undefined, body: readJson(data) }
      } catch (error) {
        throw Object.assign(error as Error, { hasLeft })
      }
    },
    close() {
      httpAgent.destroy()
      httpsAgent.destroy()
    },
  }
}

/** Node's client that reports when a request gets a ready connection: before that, nothing is sent. */
function watched(native: typeof http | typeof https, onReady: () => void) {
  const { Agent, globalAgent } = native
  return {
    Agent,
    globalAgent,
    request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
      const request = native.request(options, onResponse)
      return request.once('socket', (socket) => {
        const isSecure = socket instanceof TLSSocket
        const isPending = socket.connecting || (isSecure && (socket as { secureConnecting?: boolean }).secureConnecting)
        if (isPending) socket.once(isSecure ? 'secureConnect' : 'connect', onReady)
        else onReady()
      })
    },
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
