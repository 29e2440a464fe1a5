import { type ErrorCode, errorCodes, type FieldError, type ProblemBody } from '@notify/contracts'

interface ProblemOptions {
  errors?: FieldError[]
  attemptsRemaining?: number
  headers?: Record<string, string>
  cause?: unknown
  mayHaveTakenEffect?: boolean
}

const passesSoon: readonly ErrorCode[] = ['service_unavailable', 'rate_limited']

/** An error to return to the caller; its code determines status and title. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ErrorCode
  readonly errors: FieldError[] | undefined
  readonly attemptsRemaining: number | undefined
  readonly headers: Record<string, string>
  /** Whether the outcome is unknown, for example because the response to a commit was lost. */
  readonly mayHaveTakenEffect: boolean

  /** @param detail what is wrong and how to fix it; safe to show */
  constructor(
    code: ErrorCode,
    detail: string,
    { errors, attemptsRemaining, headers = {}, cause, mayHaveTakenEffect = false }: ProblemOptions = {},
  ) {
    super(detail, cause === undefined ? undefined : { cause })
    this.code = code
    this.errors = errors
    this.attemptsRemaining = attemptsRemaining
    this.mayHaveTakenEffect = mayHaveTakenEffect
    // Added here, so that it is kept when the problem passes between services as a body.
    this.headers = passesSoon.includes(code) ? { 'Retry-After': '1', ...headers } : headers
  }

  get status(): number {
    return errorCodes[this.code].status
  }

  /** The body without docs address and request id, which the responding process adds. */
  toBody(): Omit<ProblemBody, 'type' | 'request_id'> {
    return {
      title: errorCodes[this.code].title,
      status: this.status,
      code: this.code,
      detail: this.message,
      ...(this.errors ? { errors: this.errors } : {}),
      ...(this.attemptsRemaining === undefined ? {} : { attempts_remaining: this.attemptsRemaining }),
    }
  }
}

/** A problem of one field; the detail and `errors` contain its path. */
export function fieldProblem(code: ErrorCode, path: string, message: string): Problem {
  return new Problem(code, `${path} ${message}`, { errors: [{ path, message }] })
}
