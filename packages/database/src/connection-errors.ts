import { Problem } from '@notify/service-kit'

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
  // Idle in a transaction for too long: the session is gone.
  '25P03',
  '53300',
  '08006',
  '08003',
  '08001',
  // PgBouncer's code for all that it refuses: no server, no free connection in time.
  '08P01',
  // A primary that became a standby: its sessions are of no use any more.
  '25006',
])

const queryCanceled = '57014'

/** Whether Postgres was out of reach, which says nothing of the statement. */
export function isConnectionError(error: unknown): boolean {
  if (!(typeof error === 'object' && error !== null)) return false
  const { code, message } = error as { code?: string; message?: string }
  if (code !== undefined && connectionCodes.has(code)) return true
  return /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|not queryable/.test(
    message ?? '',
  )
}

/** What a caller is told while Postgres is out of reach. */
export function databaseUnavailable(cause: unknown): Problem {
  return new Problem('service_unavailable', 'The service cannot reach its database; try again shortly', {
    headers: { 'Retry-After': '1' },
    cause,
  })
}

/** @throws Problem `service_unavailable` in place of an error of the connection, or of a statement that took too long */
export function rethrow(error: unknown): never {
  if (isConnectionError(error) || (error as { code?: string } | null)?.code === queryCanceled) {
    throw databaseUnavailable(error)
  }
  throw error
}
