import { Problem } from '@notify/service-kit'
import pg from 'pg'

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01',
  '57P02',
  '57P03',
  // idle_in_transaction_session_timeout: the session is gone.
  '25P03',
  '53300',
  '08006',
  '08003',
  '08001',
  // PgBouncer's code for every refusal: no server, no free connection in time.
  '08P01',
  // A primary that became a standby; its sessions are useless.
  '25006',
])

const queryCanceled = '57014'
/** Class "insufficient resources": disk full, out of memory, too many connections. */
const exhaustedClass = '53'
const deadlockDetected = '40P01'
/** With lock_not_available. */
const lockCodes = new Set(['55P03', deadlockDetected])

/** invalid_password and invalid_authorization_specification: the password was changed, and this process has the former one. */
const loginCodes = new Set(['28P01', '28000'])

/** Whether Postgres was unreachable, so that the statement itself is not at fault. */
export function isConnectionError(error: unknown): boolean {
  if (!(typeof error === 'object' && error !== null)) return false
  const { code, message } = error as { code?: string; message?: string }
  if (code !== undefined && connectionCodes.has(code)) return true
  return /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|not queryable/.test(
    message ?? '',
  )
}

/** Whether a table or row stayed locked for too long, or its locks were a deadlock; also as the cause of a problem. */
export function isLockTimeout(error: unknown): boolean {
  return lockCodes.has(codeOf(error) ?? '')
}

/** Whether the statement was ended because of a deadlock, so that it can be repeated at once; also as the cause of a problem. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === deadlockDetected
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Problem ? codeOf(error.cause) : (error as { code?: string } | null | undefined)?.code
}

/** Whether Postgres lacks disk, memory or connections; it continues by itself when it has them again. */
export function isExhausted(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && code.length === 5 && code.startsWith(exhaustedClass)
}

/**
 * @throws Problem `service_unavailable` for connection errors, locks, exhausted resources and statement timeouts; other errors
 * unchanged
 */
export function rethrow(error: unknown): never {
  if (isLockTimeout(error)) {
    throw unavailable('The database is busy: what the request needs is locked; try again shortly', error)
  }
  if ((error as { code?: string } | null)?.code === queryCanceled) {
    throw unavailable('The database did not finish in time; try again shortly', error)
  }
  if (isConnectionError(error)) throw unavailable('The service cannot reach its database; try again shortly', error)
  if (loginCodes.has((error as { code?: string } | null)?.code ?? ''))
    throw unavailable('The service cannot log in to its database; try again shortly', error)
  if (isExhausted(error)) throw unavailable('The database is out of resources; try again shortly', error)
  throw error
}

/** {@link rethrow} for a statement that commits: without a response from Postgres its outcome is unknown. */
export function rethrowCommitting(error: unknown): never {
  if (!isConnectionError(error) || error instanceof pg.DatabaseError) rethrow(error)
  throw unavailable(
    'The service lost its database before the response. A change may have taken effect: repeat it with the same Idempotency-Key',
    error,
    true,
  )
}

/** The connections that a tenant may use are in use. */
export const noRoom = () => unavailable('Too many requests are in progress; try again shortly', undefined)

function unavailable(detail: string, cause: unknown, mayHaveTakenEffect = false): Problem {
  return new Problem('service_unavailable', detail, { headers: { 'Retry-After': '1' }, cause, mayHaveTakenEffect })
}
