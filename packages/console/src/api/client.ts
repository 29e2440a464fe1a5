import type { paths } from '@notify/sdk'
import { Problem } from '@notify/sdk'
import createClient from 'openapi-fetch'
import type { Session } from '../session/session.ts'
import { noteAnswer, noteHang } from './connection.ts'
import { KnownAnswers } from './known-answers.ts'
import { UnansweredWrites } from './unanswered-writes.ts'

/** The gateway did not answer in time. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** The gateway answers within 8 s: what takes longer hangs. */
const readTimeoutMs = 8000
/** A write is waited for longer, because its effect is not known then. */
const writeTimeoutMs = 15_000
/** The time of a download grows with the list. */
const exportTimeoutMs = 30 * 60_000
export const unanswered = new UnansweredWrites()
const known = new KnownAnswers()
let session: Session | undefined

/** Set once, before the first page is shown. */
export function callWithSession(opened: Session): void {
  session = opened
}

/** The API by path, typed by its OpenAPI document. Read the result with {@link answer}. */
export const api = createClient<paths>({ fetch: call })

async function call(request: Request): Promise<Response> {
  const opened = session
  if (!opened) throw new Error('no session is open')
  if (request.method === 'GET') return sendAs(opened, request)
  return unanswered.send(request, (keyed) => sendAs(opened, keyed))
}

async function sendAs({ token, renew, accept }: Session, request: Request): Promise<Response> {
  let response = await send(request.clone(), await token())
  if (response.status === 401) response = await send(request, await renew())
  if (response.ok) accept()
  return response
}

async function send(request: Request, token: string): Promise<Response> {
  const { url } = request
  const isExport = new URL(url).pathname.endsWith('/export')
  const isRead = request.method === 'GET' && !isExport
  request.headers.set('authorization', `Bearer ${token}`)
  const version = isRead ? known.versionOf(url) : undefined
  if (version) request.headers.set('if-none-match', version)
  const limitMs = isExport ? exportTimeoutMs : isRead ? readTimeoutMs : writeTimeoutMs
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(limitMs)])
  const hang = isExport ? undefined : setTimeout(noteHang, readTimeoutMs)
  try {
    const response = await fetch(request, { signal })
    // A proxy before the gateway answers these while it is down; the gateway, for a service behind it, with this header.
    noteAnswer(response.status < 502 || response.status > 504 || response.headers.has('x-request-id'))
    return isRead ? await known.read(url, response) : response
  } catch (error) {
    request.signal.throwIfAborted()
    noteAnswer(false)
    throw new NoAnswerError('The gateway does not answer', { cause: error })
  } finally {
    clearTimeout(hang)
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
