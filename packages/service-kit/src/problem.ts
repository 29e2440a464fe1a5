import { type ErrorCode, errorCodes, type FieldError, type ProblemBody } from '@notify/contracts'

interface ProblemOptions {
  errors?: FieldError[]
  headers?: Record<string, string>
  cause?: unknown
}

/** A refusal that a caller may see: status and title come with the code. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ErrorCode
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>

  /** @param detail what is wrong and what to do, safe to show */
  constructor(code: ErrorCode, detail: string, { errors, headers = {}, cause }: ProblemOptions = {}) {
    super(detail, cause === undefined ? undefined : { cause })
    this.code = code
    this.errors = errors
    // Whoever is told to come back is told when, also when the refusal travelled between services as a body.
    this.headers = code === 'service_unavailable' ? { 'Retry-After': '1', ...headers } : headers
  }

  get status(): number {
    return errorCodes[this.code].status
  }

  /** The body without what only the answering process knows (docs address, request id). */
  toBody(): Omit<ProblemBody, 'type' | 'request_id'> {
    return {
      title: errorCodes[this.code].title,
      status: this.status,
      code: this.code,
      detail: this.message,
      ...(this.errors ? { errors: this.errors } : {}),
    }
  }
}

/** The refusal of a body, query or path that does not fit its schema, from the issues that zod found. */
export function validationProblem(
  issues: readonly { path: PropertyKey[]; message: string; code?: string; keys?: string[] }[],
): Problem {
  const errors = issues.slice(0, 50).flatMap((issue): FieldError[] => {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys' && issue.keys) {
      return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is not a known field' }))
    }
    return [{ path: path.join('.'), message: issue.message }]
  })
  const first = errors[0]
  const detail = first
    ? `${first.path || 'The request'} ${lowerFirst(first.message)}`
    : 'The request does not fit its schema'
  return new Problem('validation_failed', detail.slice(0, 500), { errors })
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
