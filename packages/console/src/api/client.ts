import type { paths } from '@notify/sdk'
import { Problem } from '@notify/sdk'
import createClient from 'openapi-fetch'
import type { Session } from '../session/session.ts'
import { noteAnswer } from './connection.ts'
import { digestOf, UnansweredWrites } from './unanswered-writes.ts'

/** The gateway did not answer in time. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

const timeoutMs = 15_000
/** The time of a download grows with the list. */
const exportTimeoutMs = 30 * 60_000
const unanswered = new UnansweredWrites()
let session: Session | undefined

/** Set once, before the first page is shown. */
export function callWithSession(opened: Session): void {
  session = opened
}

/** The API by path, typed by its OpenAPI document. Read the result with {@link answer}. */
export const api = createClient<paths>({ fetch: call })

async function call(request: Request): Promise<Response> {
  if (!session) throw new Error('no session is open')
  if (request.method !== 'POST' || request.headers.has('idempotency-key')) return sendAs(session, request)
  const write = await digestOf(request)
  request.headers.set('idempotency-key', unanswered.keyOf(write))
  const response = await sendAs(session, request)
  unanswered.answered(write, response.status)
  return response
}

async function sendAs({ token, renew }: Session, request: Request): Promise<Response> {
  const response = await send(request.clone(), await token())
  return response.status === 401 ? send(request, await renew()) : response
}

async function send(request: Request, token: string): Promise<Response> {
  request.headers.set('authorization', `Bearer ${token}`)
  const limitMs = new URL(request.url).pathname.endsWith('/export') ? exportTimeoutMs : timeoutMs
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(limitMs)])
  try {
    const response = await fetch(request, { signal })
    // A proxy before the gateway answers these while the gateway is down.
    noteAnswer(response.status < 502 || response.status > 504)
    return response
  } catch (error) {
    request.signal.throwIfAborted()
    noteAnswer(false)
    throw new NoAnswerError('The gateway does not answer', { cause: error })
  }
}

/**
 * The body of a success.
 * @throws Problem when the service refuses, NoAnswerError when it does not answer
 * @example const me = await answer(api.GET('/api/v1/me'))
 */
export async function answer<Body>(
  result: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<NonNullable<Body>> {
  const { data, error, response } = await result
  if (!response.ok) throw new Problem(response, error)
  return data as NonNullable<Body>
}
