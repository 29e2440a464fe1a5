import type { Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import { findApplication } from '../applications/application-store.ts'
import { noSuchApplication } from '../applications/no-such-application.ts'
import { type KeyPlace, type KeyRow, lockKeyRow } from './key-store.ts'

interface KeyRequest {
  params: { application_id: string; key_id: string }
  principal: { tenant_id: string }
}

export function keyPlace({ params, principal }: KeyRequest): KeyPlace {
  return { tenantId: principal.tenant_id, applicationId: params.application_id, keyId: params.key_id }
}

/** @throws Problem `not_found`, also for an application of another tenant */
export async function requireApplication(run: Run, tenantId: string, id: string): Promise<void> {
  if (!(await findApplication(run, tenantId, id))) throw noSuchApplication()
}

/** Locks the key of a request. @throws Problem `not_found` */
export async function requireKey(run: Run, request: KeyRequest): Promise<KeyRow> {
  const place = keyPlace(request)
  await requireApplication(run, place.tenantId, place.applicationId)
  const row = await lockKeyRow(run, place)
  if (!row) throw noSuchKey()
  return row
}

export function noSuchKey(): Problem {
  return new Problem('not_found', 'The application has no API key with this id')
}
