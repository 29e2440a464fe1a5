import { AsyncLocalStorage } from 'node:async_hooks'
import { BrokenCircuitError, circuitBreaker, handleWhen, SamplingBreaker } from 'cockatiel'
import twilio from 'twilio'
import type RequestClient from 'twilio/lib/base/RequestClient.js'
import type { Config } from '../config.ts'
import type { Provider } from '../providers/provider-directory.ts'
import type { CarrierAnswer, CarrierMessage, Carriers } from './carrier.ts'
import { describeCode, isPermanentCode } from './twilio-codes.ts'

/** What one call adds to the wire, and what it learns from it beyond the SDK's answer. */
interface CallScope {
  traceparent: string | undefined
  retryAfterMs: number | null
}

const scopes = new AsyncLocalStorage<CallScope>()

/** The SDK's client, with the trace on the request and Retry-After read from the answer, which its errors drop. */
class TracedClient extends twilio.RequestClient {
  override async request<Data>(options: RequestClient.RequestOptions<Data>) {
    const scope = scopes.getStore()
    if (scope?.traceparent) options.headers = { ...options.headers, traceparent: scope.traceparent }
    const response = await super.request<Data>(options)
    const retryAfter = (response.headers as Record<string, string> | undefined)?.['retry-after']
    if (scope && retryAfter) scope.retryAfterMs = retryAfterMs(retryAfter)
    return response
  }
}

const longestRetryAfterMs = 3_600_000

/** Retry-After as seconds or as a date (RFC 9110 10.2.3), at most an hour. */
function retryAfterMs(text: string): number | null {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), longestRetryAfterMs)
}

interface Line {
  revision: number
  client: twilio.Twilio
  breaker: ReturnType<typeof circuitBreaker>
}

/** Sends SMS over Twilio's API; each provider has a client and a circuit breaker of its own. */
export function createTwilioCarrier(config: Config): Carriers {
  const lines = new Map<string, Line>()
  const lineOf = (provider: Provider, baseUrl: string): Line => {
    const id = `${provider.id} ${baseUrl}`
    const known = lines.get(id)
    if (known?.revision === provider.revision) return known
    const line = { revision: provider.revision, client: connect(provider, baseUrl, config), breaker: createBreaker() }
    lines.set(id, line)
    return line
  }
  return {
    async send(provider, message) {
      const baseUrl = message.mode === 'test' ? `${config.CARRIER_SANDBOX_URL}/twilio` : config.TWILIO_API_URL
      const { client, breaker } = lineOf(provider, baseUrl)
      const scope: CallScope = { traceparent: message.traceparent, retryAfterMs: null }
      try {
        const created = await breaker.execute(() =>
          scopes.run(scope, () => client.messages.create(parametersOf(provider, message, config))),
        )
        return { outcome: 'accepted', code: null, message: null, providerMessageId: created.sid, retryAfterMs: null }
      } catch (error) {
        return answerOf(error, scope)
      }
    },
  }
}

function connect({ credentials }: Provider, baseUrl: string, config: Config): twilio.Twilio {
  const { account_sid, auth_token } = credentials
  const httpClient = new TracedClient({
    timeout: config.CARRIER_TIMEOUT,
    keepAlive: true,
    maxSockets: config.SEND_CONCURRENCY + config.BULK_CONCURRENCY,
  })
  const client = twilio(account_sid, auth_token, { httpClient })
  client.api.baseUrl = baseUrl
  return client
}

function parametersOf(
  { id, credentials }: Provider,
  { to, text, notificationId, attemptId }: CarrierMessage,
  { PUBLIC_URL }: Config,
) {
  const correlation = new URLSearchParams({ notification_id: notificationId, attempt_id: attemptId, provider_id: id })
  return {
    to,
    body: text,
    statusCallback: `${PUBLIC_URL}/api/v1/callbacks/smsprovider/sms?${correlation}`,
    ...(credentials.from ? { from: credentials.from } : { messagingServiceSid: credentials.messaging_service_sid! }),
  }
}

/** Opens when most calls of the last 10 s found the carrier broken; refusals of a message do not count. */
function createBreaker() {
  return circuitBreaker(handleWhen(isCarrierBroken), {
    halfOpenAfter: 5000,
    breaker: new SamplingBreaker({ threshold: 0.8, duration: 10_000, minimumRps: 5 }),
  })
}

function isCarrierBroken(error: unknown): boolean {
  const { status } = error as { status?: number }
  return status === undefined || status >= 500
}

/** Some of the carrier's sentences name the recipient ("The number +1555… is unverified"); ours are stored and published. */
function withoutNumbers(sentence: string): string {
  return sentence.replace(/\+?\d[\d\s().-]{5,}\d/g, '[number]')
}

const neverLeft = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Sorts a failed call: refused for good, refused for now, or nobody knows. */
function answerOf(error: unknown, { retryAfterMs }: CallScope): CarrierAnswer {
  const none = { providerMessageId: null, retryAfterMs }
  if (error instanceof BrokenCircuitError) {
    return {
      ...none,
      outcome: 'rejected_retryable',
      code: 'circuit_open',
      message: 'The carrier fails too often; calls are held back',
    }
  }
  const { status, code, message } = error as { status?: number; code?: string | number; message?: string }
  if (typeof status === 'number') {
    const carrierCode = code === undefined ? `http_${status}` : String(code)
    const permanent =
      isPermanentCode(carrierCode) || (status < 500 && status !== 429 && status !== 408 && code !== 20429)
    return {
      ...none,
      outcome: permanent ? 'rejected_permanent' : 'rejected_retryable',
      code: carrierCode,
      message: describeCode(carrierCode, message ? withoutNumbers(message) : `The carrier answered ${status}`),
    }
  }
  const reason = String(code ?? 'no_answer')
  if (neverLeft.has(reason)) {
    return { ...none, outcome: 'rejected_retryable', code: reason, message: 'The carrier could not be reached' }
  }
  return {
    ...none,
    outcome: 'unknown',
    code: reason,
    message: 'The carrier did not answer; it may have taken the message',
  }
}
