import { type ErrorCode, errorCodes, type FieldError, type ProblemBody } from '@notify/contracts'

interface ProblemOptions {
  errors?: FieldError[]
  attemptsRemaining?: number
  headers?: Record<string, string>
  cause?: unknown
}

/** An error to return to the caller; its code determines status and title. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ErrorCode
  readonly errors: FieldError[] | undefined
  readonly attemptsRemaining: number | undefined
  readonly headers: Record<string, string>

  /** @param detail what is wrong and how to fix it; safe to show */
  constructor(
    code: ErrorCode,
    detail: string,
    { errors, attemptsRemaining, headers = {}, cause }: ProblemOptions = {},
  ) {
    super(detail, cause === undefined ? undefined : { cause })
    this.code = code
    this.errors = errors
    this.attemptsRemaining = attemptsRemaining
    // Set here, so that it survives the way between services as a body.
    this.headers = code === 'service_unavailable' ? { 'Retry-After': '1', ...headers } : headers
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

/** Most errors that a problem lists. */
const maxErrors = 50

/** The problem for a body, query or path that fails validation, made from zod's issues. */
export function validationProblem(
  issues: readonly { path: PropertyKey[]; message: string; code?: string; keys?: string[] }[],
): Problem {
  const errors = issues.slice(0, maxErrors).flatMap((issue): FieldError[] => {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys' && issue.keys) {
      return issue.keys
        .slice(0, maxErrors)
        .map((key) => ({ path: [...path, key].join('.'), message: 'is not a known field' }))
    }
    return [{ path: path.join('.'), message: issue.message }]
  })
  errors.splice(maxErrors)
  const first = errors[0]
  const detail = first
    ? `${first.path || 'The request'} ${lowerFirst(first.message)}`
    : 'The request does not fit its schema'
  return new Problem('validation_failed', detail.slice(0, 500), { errors })
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
