/**
 * A problem that one line explains: what is wrong, where, and what to do. Shown without a stack trace; `DEBUG=1` shows
 * the trace and the cause.
 */
export class StartupError extends Error {
  override name = 'StartupError'
}

/** The text of anything thrown. Inside jest, errors of node:fs are not `instanceof Error`, hence the look at the field. */
export function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null) {
    const { message, code, errors } = error as { message?: unknown; code?: unknown; errors?: unknown[] }
    if (typeof message === 'string' && message !== '') return message
    // A refused connection to a name with several addresses is an AggregateError without a message.
    if (Array.isArray(errors) && errors.length > 0) return messageOf(errors[0])
    if (typeof code === 'string') return code
  }
  return String(error)
}

/** The `code` of a system or Postgres error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}
