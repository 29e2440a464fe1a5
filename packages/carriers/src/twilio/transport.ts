import { AsyncLocalStorage } from 'node:async_hooks'
import { stringify } from 'node:querystring'
import { exchange } from '@notify/service-kit'
import twilio from 'twilio'
import type RequestClient from 'twilio/lib/base/RequestClient.js'
import { createAgent, longestAnswer } from '../http-client.ts'
import { readRetryAfter } from '../retry-after.ts'

/** Per-call additions to the request, and data of the response that the SDK drops. */
export interface CallScope {
  traceparent: string | undefined
  retryAfterMs: number | null
  /** Whether the request reached the connection; earlier failures are not the carrier's. */
  begun?: true
}

/** Passes a call's scope through the SDK. */
export const callScopes = new AsyncLocalStorage<CallScope>()

interface Limits {
  /** Timeout of a whole exchange, in milliseconds. */
  timeoutMs: number
  maxConnections: number
}

/**
 * Sends the SDK's requests with undici: its own client costs more than the rest of a send. Adds the trace header and
 * reads Retry-After, which the SDK's errors drop. Does not follow redirects.
 */
export class TwilioTransport extends twilio.RequestClient {
  readonly #timeoutMs: number
  readonly #agent: ReturnType<typeof createAgent>

  constructor({ timeoutMs, maxConnections }: Limits) {
    super({ timeout: timeoutMs })
    this.#timeoutMs = timeoutMs
    this.#agent = createAgent({ timeoutMs, maxConnections })
  }

  override async request<Data>(options: RequestClient.RequestOptions<Data>) {
    const { method, uri, username, password, headers, params, data } = options
    const scope = callScopes.getStore()
    const { origin, pathname, search } = new URL(uri)
    const query = params ? `?${stringify({ ...params })}` : search
    const request = {
      origin,
      path: pathname + query,
      method: method.toUpperCase() as 'GET',
      headers: {
        ...headers,
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        ...(scope?.traceparent && { traceparent: scope.traceparent }),
      },
      body: data ? stringify({ ...data }) : null,
    }
    if (scope) scope.begun = true
    const {
      statusCode,
      headers: answered,
      text,
    } = await exchange(this.#agent, request, this.#timeoutMs, {
      maxBytes: longestAnswer,
    })
    if (scope) scope.retryAfterMs = readRetryAfter(answered['retry-after'])
    return { statusCode, body: text as Data, headers: answered, toString: () => text }
  }

  close(): void {
    void this.#agent.close()
  }
}
