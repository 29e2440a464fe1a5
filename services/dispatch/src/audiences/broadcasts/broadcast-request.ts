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
import { isFixed } from '../../channels/template-faults.ts'
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
export function requestFor(request: BroadcastRequest, member: ForMember): DispatchRequest {
  // Judged at the creation: a zone that was one then stays one.
  const { time_zone, ...rest } = memberRequest(request, member)
  const judged = requireShape(DispatchRequest, rest)
  return time_zone === undefined ? judged : { ...judged, time_zone: time_zone as string }
}

function memberRequest(request: BroadcastRequest, { user_id, data }: ForMember): BroadcastRequest {
  const field = request.event_key === undefined ? 'template_data' : 'data'
  const { [field]: shared } = request
  const variables = data ? { ...(shared as object | undefined), ...data } : shared
  return {
    ...request,
    ...(isFilled(request, variables) && { [field]: variables === undefined ? {} : variables }),
    recipient: { ...(request.recipient as object | undefined), user_id },
    priority: 'bulk',
  }
}

/** Own content without Liquid stays as it is written, for members with data and without: a template may not be as long. */
function isFilled(request: BroadcastRequest, variables: unknown): boolean {
  const { event_key, template_id, layout_id } = request
  if (event_key !== undefined || template_id !== undefined) return true
  if (layout_id !== undefined && variables !== undefined) return true
  return ownTexts.some((name) => typeof request[name] === 'string' && !isFixed(request[name]))
}

const ownTexts = ['subject', 'title', 'body', 'html_body', 'preheader'] as const

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
  // With a layout, content without Liquid is a template for members with data, and has to be as short as one.
  const data = request.layout_id === undefined ? undefined : {}
  const forMember = requireShape(DispatchRequest, memberRequest(request, { user_id: 'each member', data }))
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
