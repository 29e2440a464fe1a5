/** A request that the server refused, or that did not reach it. */
export class InboxError extends Error {
  override readonly name = 'InboxError'
  /** Status of the response; undefined when there was none. */
  readonly status: number | undefined
  /** Code of the problem, for example `topic_is_required`; undefined when there was none. */
  readonly code: string | undefined
  /** How long the server wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number

  constructor(message: string, { status, code, retryAfterMs = 0, cause }: Partial<InboxError> = {}) {
    super(message, { cause })
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
  }

  /** Whether trying again with the same user is useless. */
  get isDenied(): boolean {
    return this.status === 401 || this.status === 403
  }
}
