import {
  channelContracts,
  DispatchRequest,
  type Id,
  NewRecipient,
  notInBroadcasts,
  tooManyEntries,
} from '@notify/contracts'
import type { EncryptedColumn } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { fieldProblem, Problem, requireShape } from '@notify/service-kit'
import type { BroadcastRow } from './broadcast-store.ts'

/** A notification without its recipient, as its caller wrote it. */
export type BroadcastRequest = Record<string, unknown>

/** Whom a notification of a broadcast is for. */
interface ForMember {
  user_id: string
  data?: Record<string, unknown> | undefined
}

/**
 * The request of one member: the member's data replace those of the broadcast.
 * @throws Problem `validation_failed`
 */
export function requestFor(request: BroadcastRequest, { user_id, data }: ForMember): DispatchRequest {
  const variables = request.template_id === undefined ? 'data' : 'template_data'
  return requireShape(DispatchRequest, {
    ...request,
    ...(data &&
      request.body === undefined && { [variables]: { ...(request[variables] as object | undefined), ...data } }),
    ...(data &&
      request.body !== undefined && { template_data: { ...(request.template_data as object | undefined), ...data } }),
    recipient: { ...(request.recipient as object | undefined), user_id },
    priority: 'bulk',
  })
}

/** @throws Problem `validation_failed` for fields that are one recipient's alone, and for a request that no member could get */
export function requireBroadcast(request: BroadcastRequest): DispatchRequest {
  const { recipient } = request
  const isObject = typeof recipient === 'object' && recipient !== null && !Array.isArray(recipient)
  const long = tooManyEntries(request)
  const faults = [
    ...(long ? [long] : []),
    ...notInBroadcasts
      .filter((field) => Object.hasOwn(request, field))
      .map((path) => ({ path, message: 'is not supported in broadcasts' })),
    ...(recipient !== undefined && !isObject ? [{ path: 'recipient', message: 'must be an object' }] : []),
    ...(isObject && 'user_id' in recipient
      ? [{ path: 'recipient.user_id', message: 'is the id of each member in broadcasts' }]
      : []),
  ]
  if (faults.length > 0) {
    const texts = faults.map(({ path, message }) => `${path} ${message}`)
    throw new Problem('validation_failed', texts.join('; '), { errors: faults })
  }
  const forMember = requestFor(request, { user_id: 'each member' })
  const { addressField } = channelContracts[forMember.channel]
  if (addressField !== undefined && !Object.hasOwn(NewRecipient.shape, addressField))
    throw fieldProblem('validation_failed', 'channel', `must be one for people: no user has a ${addressField}`)
  return forMember
}

const aad = (tenantId: string, id: string): string => `broadcasts|${tenantId}|${id}`

export const broadcastColumn: EncryptedColumn = {
  table: 'broadcasts',
  column: 'request',
  key: 'id',
  aadFrom: ['tenant_id', 'id'],
  aad,
}

export function sealRequest(keyRing: KeyRing, request: BroadcastRequest, tenantId: string, id: Id<'bc'>): Buffer {
  return keyRing.encrypt(JSON.stringify(request), aad(tenantId, id))
}

export function openRequest(
  keyRing: KeyRing,
  { tenant_id, id, request }: Pick<BroadcastRow, 'tenant_id' | 'id' | 'request'>,
): BroadcastRequest {
  return JSON.parse(keyRing.decrypt(request, aad(tenant_id, id)))
}
