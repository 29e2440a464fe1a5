import http from 'node:http'
import type { Stack } from '@notify/dev-env'

export interface JsonAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: benches read answers of every shape
  body: any
  /** When the answer arrived, in Unix milliseconds. */
  atMs: number
}

export interface JsonClient {
  post(path: string, body: object): Promise<JsonAnswer>
  close(): void
}

/** A customer's backend with kept-alive connections, by default with the demo key; plain `node:http`, because it shares the machine. */
export function createJsonClient(
  stack: Stack,
  baseUrl = stack.url('gateway'),
  apiKey = stack.state.keys.all.api_key,
): JsonClient {
  const agent = new http.Agent({ keepAlive: true })
  const { hostname, port } = new URL(baseUrl)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` }
  return {
    post: (path, content) =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify(content)
        const length = { 'content-length': Buffer.byteLength(body) }
        const request = http.request({
          method: 'POST',
          hostname,
          port,
          path,
          agent,
          headers: { ...headers, ...length },
        })
        request.once('error', reject)
        request.once('response', (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
          })
          response.once('error', reject)
          response.once('end', () => {
            const atMs = performance.timeOrigin + performance.now()
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(text), atMs })
          })
        })
        request.end(body)
      }),
    close: () => agent.destroy(),
  }
}

/** Runs `work` so many times, by so many concurrent callers. */
export async function doMany<T>(count: number, callers: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = new Array(count)
  let next = 0
  const call = async () => {
    while (next < count) {
      const n = next++
      results[n] = await work(n)
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return results
}
