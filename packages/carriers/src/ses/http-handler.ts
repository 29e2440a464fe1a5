import { Readable } from 'node:stream'
import { exchange } from '@notify/service-kit'
import { createAgent, longestAnswer } from '../http-client.ts'

/** A request as the SDK has signed it. */
interface SignedRequest {
  protocol: string
  hostname: string
  port?: number | undefined
  path: string
  query?: Record<string, string | string[] | null>
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array | null
}

/**
 * Sends the SDK's requests with undici: its own client does not tell a handshake that never ended from an answer that
 * never came. Errors are those of `exchange`.
 */
export function createHttpHandler(limits: { timeoutMs: number; maxConnections: number }) {
  const agent = createAgent(limits)
  return {
    async handle({ protocol, hostname, port, path, query = {}, method, headers, body }: SignedRequest) {
      const pairs = Object.entries(query).flatMap(([name, values]) =>
        [values].flat().map((value) => [name, value ?? '']),
      )
      const search = pairs.length > 0 ? `?${new URLSearchParams(pairs as [string, string][])}` : ''
      // undici computes the length, and names the host, as the signature has them.
      const { 'content-length': _, ...signed } = headers
      const request = {
        origin: `${protocol}//${hostname}${port ? `:${port}` : ''}`,
        path: path + search,
        method: method as 'POST',
        headers: signed,
        body: body || null,
      }
      const {
        statusCode,
        headers: answered,
        text,
      } = await exchange(agent, request, limits.timeoutMs, {
        maxBytes: longestAnswer,
      })
      return {
        response: { statusCode, headers: answered as Record<string, string>, body: Readable.from([Buffer.from(text)]) },
      }
    },
    destroy: () => void agent.close(),
  }
}
