import type { components } from './api-types.ts'

type Body = Partial<components['schemas']['Problem']>

/**
 * A refusal by the service (RFC 9457). `code` says which; each has a page at `type`.
 * @example
 * catch (error) {
 *   if (error instanceof Problem && error.code === 'recipient_suppressed') return
 *   throw error
 * }
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  /** HTTP status. */
  readonly status: number
  /** Error code, for example `validation_failed`; `unknown` when the answer is not from the service, but from a proxy. */
  readonly code: string
  readonly title: string
  readonly detail: string
  /** Address of the page with the meaning of the code and its remedy. */
  readonly type: string
  /** Which fields are invalid, and why. */
  readonly errors: readonly { path: string; message: string }[]
  /** Id of the request; quote it when asking for support. */
  readonly request_id: string | undefined
  /** With `otp_invalid_code`: how many more codes may be tried. */
  readonly attempts_remaining: number | undefined
  /** How long the service wants to be left alone, in milliseconds; undefined when it does not say. */
  readonly retryAfterMs: number | undefined

  constructor(response: Response, body: unknown, retryAfterMs?: number) {
    const problem: Body = typeof body === 'object' && body !== null ? body : {}
    const { title = `Status ${response.status}`, detail = title, code = 'unknown', type = 'about:blank' } = problem
    super(detail)
    this.status = response.status
    this.code = code
    this.title = title
    this.detail = detail
    this.type = type
    this.errors = problem.errors ?? []
    this.request_id = problem.request_id ?? response.headers.get('x-request-id') ?? undefined
    this.attempts_remaining = problem.attempts_remaining
    this.retryAfterMs = retryAfterMs
  }
}

/** No answer came: the network failed, or the time ran out. `cause` is the last error. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}
