import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import { findApplication } from '../applications/application-store.ts'
import { noSuchApplication } from '../applications/no-such-application.ts'
import { describeKey, type KeyAddress, type KeyRow, lockKeyRow } from './key-store.ts'

interface KeyRequest {
  params: { application_id: Id<'app'>; key_id: Id<'key'> }
  principal: { tenant_id: Id<'ten'> }
}

export function keyAddress({ params, principal }: KeyRequest): KeyAddress {
  return { tenantId: principal.tenant_id, applicationId: params.application_id, keyId: params.key_id }
}

/** @throws Problem `not_found`, also for an application of another tenant */
export async function requireApplication(run: Run, tenantId: Id<'ten'>, id: Id<'app'>): Promise<void> {
  if (!(await findApplication(run, tenantId, id))) throw noSuchApplication()
}

/** Locks the key of a request. @throws Problem `not_found` */
export async function requireKey(run: Run, request: KeyRequest): Promise<KeyRow> {
  const address = keyAddress(request)
  await requireApplication(run, address.tenantId, address.applicationId)
  const row = await lockKeyRow(run, address)
  if (!row) throw noSuchKey()
  return row
}

/** Locks the active key of a request. @throws Problem `not_found`, `key_not_active` */
export async function requireActiveKey(run: Run, request: KeyRequest): Promise<KeyRow> {
  const row = await requireKey(run, request)
  const { status } = describeKey(row)
  if (status !== 'active') throw new Problem('key_not_active', `The API key is ${status}; create another`)
  return row
}

export function noSuchKey(): Problem {
  return new Problem('not_found', 'The application has no API key with this id')
}
