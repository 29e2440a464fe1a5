import { type Digest, type DispatchRequest, digestNames, type FieldError, type KeyPrincipal } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { NamedUser } from '../recipients/recipient-directory.ts'
import { zoneOf } from '../recipients/time-to-send.ts'
import { digested } from './digest-variables.ts'
import { closingOf } from './digest-window.ts'

/** The digest that an item joins, or begins if none is open. */
export interface Joined extends ReturnType<typeof closingOf> {
  /** Fingerprint of all that the items of a digest have in common. */
  key: string
  /** Whether an item outside of a window is sent at once. */
  isFirstNow: boolean
  show: number
}

/** What is stored of an item in place of a payload: the digest is made of its request. */
export interface ItemContent {
  digest_item: 1
  request: DispatchRequest
  /** Of the application. */
  default_locale?: string | undefined
  default_time_zone?: string | undefined
}

/** Whether what is stored of a notification is an item's. */
export const isItemContent = (stored: object): stored is ItemContent => 'digest_item' in stored

/** The data of an item. */
export const dataOf = ({ request }: Pick<ItemContent, 'request'>) => request.data ?? {}

/** Fields that are one message's alone. */
const notInDigests = ['cc', 'bcc', 'attachments', 'send_at', 'send_at_local'] as const

/** @throws Problem `validation_failed` naming what cannot be put together with other messages */
export function requireDigestible(request: DispatchRequest, { key }: Digest): void {
  const errors: FieldError[] = notInDigests
    .filter((field) => request[field] !== undefined)
    .map((path) => ({ path, message: 'is not supported: messages of this event are put together in digests' }))
  errors.push(...setByDigest(request))
  if (key !== undefined && keyOf(request, key) === undefined)
    errors.push({
      path: `data.${key}`,
      message: 'must be a text or a number: messages of this event are put together by it',
    })
  refuse(errors)
}

/** @throws Problem `validation_failed` naming variables that the digest of the event sets, also in a message that is sent alone */
export const requireOwnNames = (request: DispatchRequest): void => refuse(setByDigest(request))

const setByDigest = (request: DispatchRequest): FieldError[] =>
  digestNames
    .filter((name) => Object.hasOwn(dataOf({ request }), name))
    .map((name) => ({ path: `data.${name}`, message: 'is set by the digest of this event' }))

function refuse(errors: FieldError[]): void {
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors })
}

function keyOf(request: DispatchRequest, name: string): string | undefined {
  const data = dataOf({ request })
  const value = Object.hasOwn(data, name) ? data[name] : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** A request as a digest of this item alone would render it. */
export function asOnlyItem(request: DispatchRequest, { show }: Digest): DispatchRequest {
  const data = dataOf({ request })
  return { ...request, data: { ...data, ...digested({ items: [data], total: 1, show }) } }
}

interface Item {
  principal: Pick<KeyPrincipal, 'tenant_id' | 'application_id' | 'mode' | 'default_time_zone'>
  request: DispatchRequest
  lane: string
  to: string
  user: NamedUser | undefined
}

/** The digest that an item joins. */
export function joinedBy(
  { secrets }: Pick<Context, 'secrets'>,
  { principal, request, lane, to, user }: Item,
  digest: Digest,
): Joined {
  const { tenant_id, application_id, mode } = principal
  const { event_key, channel } = request
  const value = digest.key === undefined ? null : keyOf(request, digest.key)
  const [recipient, named] = [to, user?.id].map((name) =>
    name === undefined ? null : secrets.lastingIndex(tenant_id, name),
  )
  const common = [application_id, mode, event_key, channel, lane, recipient, named, value]
  return {
    key: secrets.fingerprint(['digest', tenant_id, ...common]),
    ...closingOf(digest, Date.now(), zoneOf(request, user, principal) ?? 'UTC'),
    isFirstNow: digest.first === 'now',
    show: digest.show,
  }
}
