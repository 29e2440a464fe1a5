import { Problem } from '@notify/service-kit'

const lockNotAvailable = '55P03'

/** Whether a needed row was locked by another transaction for too long. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: string }).code === lockNotAvailable
}

export function idempotencyConflict(): Problem {
  return new Problem(
    'idempotency_conflict',
    'This Idempotency-Key was used with another body; use a new key for a new request',
  )
}

export function inProgress(): Problem {
  return new Problem(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still in progress; try again shortly',
  )
}
