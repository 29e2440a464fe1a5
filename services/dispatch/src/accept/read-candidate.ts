import { createNotification, DispatchRequest, type KeyPrincipal, tooManyEntries } from '@notify/contracts'
import { idempotencyScope } from '@notify/database'
import { type IsAwaited, Problem, requireShape } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { Candidate } from './accept-item.ts'

interface Raw {
  notificationId: Candidate['notificationId']
  principal: KeyPrincipal
  request: unknown
  traceparent: string | undefined
  idempotencyKey: string | undefined
  isAwaited: IsAwaited
}

/** @throws Problem `validation_failed` for a request that does not fit its schema */
export function readCandidate({ secrets }: Pick<Context, 'secrets'>, raw: Raw): Candidate {
  const { notificationId, principal, traceparent, idempotencyKey, isAwaited } = raw
  const fault = tooManyEntries(raw.request)
  if (fault) throw new Problem('validation_failed', `${fault.path} ${fault.message}`, { errors: [fault] })
  const request = requireShape(DispatchRequest, raw.request)
  const idempotency = idempotencyKey
    ? {
        scope: idempotencyScope(principal, createNotification),
        key: idempotencyKey,
        fingerprint: secrets.fingerprint(request),
      }
    : undefined
  return { notificationId, principal, request, traceparent: traceparent ?? null, idempotency, isAwaited }
}
