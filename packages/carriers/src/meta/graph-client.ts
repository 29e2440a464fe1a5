import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import axios from 'axios'

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
  /** @throws AxiosError without a complete response in time */
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
  const pool = { keepAlive: true, maxSockets: maxConnections }
  const [httpAgent, httpsAgent] = [new HttpAgent(pool), new HttpsAgent(pool)]
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
      const { status, headers, data } = await client.request<string>({
        method,
        url,
        data: body,
        headers: { authorization: `Bearer ${accessToken}`, ...(traceparent ? { traceparent } : {}) },
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { status, retryAfter: headers['retry-after'] as string | undefined, body: readJson(data) }
    },
    close() {
      httpAgent.destroy()
      httpsAgent.destroy()
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
