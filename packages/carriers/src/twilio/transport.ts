import { AsyncLocalStorage } from 'node:async_hooks'
import { stringify } from 'node:querystring'
import { exchange } from '@notify/service-kit'
import twilio from 'twilio'
import type RequestClient from 'twilio/lib/base/RequestClient.js'
import { Agent, EnvHttpProxyAgent } from 'undici'
import { readRetryAfter } from '../retry-after.ts'

/** What one call adds to the wire, and what it learns from it beyond the SDK's answer. */
export interface CallScope {
  traceparent: string | undefined
  retryAfterMs: number | null
  /** Whether a request was handed to the connection: what fails before is no fault of the carrier. */
  begun?: true
}

/** A call's scope reaches through the SDK, which passes nothing on. */
export const callScopes = new AsyncLocalStorage<CallScope>()

interface Limits {
  /** For a whole exchange, in milliseconds. */
  timeoutMs: number
  maxConnections: number
}

/**
 * Carries the SDK's requests over undici: its own client costs more than all the rest of a send. Puts the trace on the
 * request and reads Retry-After from the answer, which the SDK's errors drop. Redirects are not followed.
 */
export class TwilioTransport extends twilio.RequestClient {
  readonly #timeoutMs: number
  readonly #agent: Agent | EnvHttpProxyAgent

  constructor({ timeoutMs, maxConnections }: Limits) {
    super({ timeout: timeoutMs })
    this.#timeoutMs = timeoutMs
    // HTTP/1.1: one message at a time on a connection, so that what breaks takes one along; and a cut answer is told from a whole one.
    const options = { connections: maxConnections, connect: { timeout: timeoutMs }, allowH2: false }
    const behindProxy = Object.keys(process.env).some((name) => /^https?_proxy$/i.test(name))
    this.#agent = behindProxy ? new EnvHttpProxyAgent(options) : new Agent(options)
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
    const { statusCode, headers: answered, text } = await exchange(this.#agent, request, this.#timeoutMs)
    if (scope) scope.retryAfterMs = readRetryAfter(answered['retry-after'])
    return { statusCode, body: text as Data, headers: answered, toString: () => text }
  }

  close(): void {
    void this.#agent.close()
  }
}
