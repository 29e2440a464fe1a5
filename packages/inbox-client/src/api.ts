import { InboxError } from './inbox-error.ts'
import type { InboxNotification } from './state.ts'
import { createTokens, type Tokens } from './tokens.ts'

export interface ApiOptions {
  /** Address of the API, for example `https://api.example.com`. */
  readonly url: string
  /**
   * Gets a user token from the application's own backend. Called again when a token expires or is refused, and, after a
   * delay, when it throws, returns no token or takes longer than 30 s.
   */
  readonly getToken: () => Promise<string> | string
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch
}

export interface Page {
  unread_count: number
  notifications: InboxNotification[]
  next_cursor: string | null
}

/** Limit of every request but the stream. */
const timeoutMs = 30_000

interface Call {
  body?: object
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Calls the routes of the inbox as the user. */
export interface Api {
  readonly user: Tokens['user']
  /** Calls a route below `/api/v1`, repeated with a new token when the first is refused. @throws InboxError */
  call(method: string, path: string, options?: Call): Promise<Response>
}

/** @param onOtherUser called when `getToken` returns the token of another user */
export function createApi({ url, getToken, fetch: send = fetch }: ApiOptions, onOtherUser: () => void): Api {
  const tokens = createTokens(getToken, onOtherUser)
  const base = `${url.replace(/\/$/, '')}/api/v1`
  const attempt = async (method: string, path: string, { body, headers, signal }: Call) => {
    const token = await tokens.get()
    try {
      const response = await send(base + path, {
        method,
        headers: { ...headers, authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: signal ?? AbortSignal.timeout(timeoutMs),
        // Opening a notification marks it as read and leaves the page.
        keepalive: method !== 'GET',
      })
      if (response.status === 401) tokens.drop(token)
      return response
    } catch (cause) {
      throw new InboxError('The inbox cannot be reached', { cause })
    }
  }
  return {
    user: tokens.user,
    async call(method, path, options = {}) {
      let response = await attempt(method, path, options)
      if (response.status === 401) {
        void response.body?.cancel()
        response = await attempt(method, path, options)
      }
      if (response.ok) return response
      throw await errorOf(response)
    },
  }
}

/** Reads a page of the inbox. @throws InboxError */
export async function readPage({ call }: Api, search = '', signal?: AbortSignal): Promise<Page> {
  const response = await call('GET', `/inbox${search}`, signal && { signal })
  return response.json() as Promise<Page>
}

/** Reads a problem (RFC 9457). */
async function errorOf(response: Response): Promise<InboxError> {
  const { status, headers } = response
  const problem = (await response.json().catch(() => ({}))) as { detail?: string; code?: string }
  const { detail = `Status ${status}`, code } = problem
  return new InboxError(detail, { status, code, retryAfterMs: retryAfterMs(headers.get('retry-after') ?? '') })
}

/** Seconds, or a date (RFC 9110, 10.2.3); 0 for anything else. */
const retryAfterMs = (text: string) =>
  Math.max(0, /^\d+$/.test(text) ? +text * 1000 : Date.parse(text) - Date.now() || 0)
