import { Problem } from '@notify/service-kit'

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
