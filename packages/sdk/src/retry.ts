import { setTimeout as pause } from 'node:timers/promises'
import { type AttemptOptions, attempt } from './attempt.ts'
import { NoAnswerError } from './problem.ts'

export interface RetryOptions extends AttemptOptions {
  /** Attempts after the first. Default 3. */
  readonly maxRetries?: number
  /** Bound of the first delay, in milliseconds; doubled with each retry. Default 500. */
  readonly baseDelayMs?: number
  /** Bound of all delays, in milliseconds. A longer Retry-After is not waited for. Default 30,000. */
  readonly maxDelayMs?: number
}

/** Codes of refusals that pass by themselves; the same key makes the repetition safe. */
const passing = 'idempotency_in_progress'

/**
 * A `fetch` that repeats what may be repeated. A POST carries an Idempotency-Key, the same in every attempt, so that a
 * repetition has no second effect. A PATCH, or a PUT of what it expects to be unchanged, is repeated only when the service did
 * not process it (429). A DELETE whose repetition finds nothing has succeeded.
 */
export function retrying(options: RetryOptions): (request: Request) => Promise<Response> {
  const { maxRetries = 3, maxDelayMs = 30_000, baseDelayMs = 500 } = options
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', crypto.randomUUID())
    }
    // Whether an earlier attempt may have been processed.
    let isUncertain = false
    for (let retries = 0; ; retries++) {
      const answer = await attempt(request.clone(), options).catch((error: unknown) => {
        request.signal.throwIfAborted()
        return new NoAnswerError('The notification service did not answer', { cause: error })
      })
      if (isUncertain && (await isGone(request, answer))) return new Response(null, { status: 204 })
      const leastMs = answer instanceof Response ? (retryAfterMs(answer) ?? 0) : 0
      const isLast = retries >= maxRetries || leastMs > maxDelayMs || !(await mayRepeat(request, answer))
      if (isLast && answer instanceof Response) return answer
      if (isLast) throw answer
      isUncertain ||= !(answer instanceof Response) || answer.status !== 429
      const jitterMs = Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** retries)
      await pause(leastMs + jitterMs, undefined, { signal: request.signal }).catch(() =>
        request.signal.throwIfAborted(),
      )
    }
  }
}

async function mayRepeat(request: Request, answer: Response | NoAnswerError): Promise<boolean> {
  // Without a time, a limit does not pass by itself: too many wrong codes, for example.
  if (answer instanceof Response && answer.status === 429) return retryAfterMs(answer) !== undefined
  return (await isTransient(answer)) && !isConditional(request)
}

async function isTransient(answer: Response | NoAnswerError): Promise<boolean> {
  if (!(answer instanceof Response)) return true
  const { status } = answer
  if (status === 409) return (await codeOf(answer)) === passing
  return status === 408 || status === 500 || (status >= 502 && status <= 504)
}

/** Whether a request that was processed would be refused, or change something else, when it is repeated. */
function isConditional({ method, url }: Request): boolean {
  if (method !== 'PUT') return method === 'PATCH'
  return [...new URL(url).searchParams.keys()].some((name) => name.startsWith('expected_'))
}

/** Whether the service itself, and no proxy, says that the target of a DELETE does not exist. */
const isGone = async ({ method }: Request, answer: Response | NoAnswerError): Promise<boolean> =>
  method === 'DELETE' && answer instanceof Response && answer.status === 404 && (await codeOf(answer)) !== undefined

async function codeOf(answer: Response): Promise<string | undefined> {
  const body = (await answer
    .clone()
    .json()
    .catch(() => null)) as { code?: string } | null
  return body?.code
}

/** What the Retry-After header asks for, in milliseconds: seconds, or a date (RFC 9110, 10.2.3). */
export function retryAfterMs({ headers }: Response, now = Date.now()): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
