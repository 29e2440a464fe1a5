import {
  type Channel,
  createNotification,
  DispatchRequest,
  type ErrorCode,
  type Id,
  type KeyPrincipal,
  type Lane,
  type NotificationAccepted,
  tooManyEntries,
} from '@notify/contracts'
import { idempotencyScope } from '@notify/database'
import { type IsAwaited, Problem, requireShape, type TenantRoom } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { WithCarrierTemplates } from '../catalogue/carrier-templates/carrier-template-directory.ts'
import type { WithConsents } from '../catalogue/consents/consent-directory.ts'
import type { Joined } from '../catalogue/digests/digest-item.ts'
import type { WithDomains } from '../catalogue/domains/verified-domains.ts'
import type { WithEvents } from '../catalogue/events/event-catalogue.ts'
import type { WithLayouts } from '../catalogue/layouts/layout-catalogue.ts'
import type { WithFrequencies } from '../catalogue/preferences/frequency-directory.ts'
import type { WithLinks } from '../catalogue/preferences/message-links.ts'
import type { WithProviders } from '../catalogue/providers/provider-directory.ts'
import type { WithRecipients } from '../catalogue/recipients/recipient-directory.ts'
import { type CopyRow, leftOut } from '../catalogue/suppressions/judge-copies.ts'
import type { WithTemplates } from '../catalogue/templates/template-catalogue.ts'
import type { WithTopics } from '../catalogue/topics/topic-directory.ts'
import type { Channels } from '../channels/channel.ts'
import type { FetchTenantFile } from '../channels/fetch-file.ts'
import type { Context } from '../context.ts'
import type { WakeSenders } from '../deliver/queues/wake-senders.ts'

/** What acceptance needs of the context. */
export type AcceptContext = Context &
  WithEvents &
  WithTemplates &
  WithTopics &
  WithLayouts &
  WithLinks &
  WithProviders &
  WithDomains &
  WithConsents &
  WithCarrierTemplates &
  WithRecipients &
  WithFrequencies & {
    renderer: Renderer
    wakeSenders: WakeSenders
    fetchFile: FetchTenantFile
    fileRoom: TenantRoom
  }

/** The tenant's application that sends a notification. */
export type Sender = Pick<
  KeyPrincipal,
  'tenant_id' | 'application_id' | 'mode' | 'default_locale' | 'default_time_zone' | 'bulk_requires_topic'
>

/** The fields that another service sets for its notification, beyond the public request. */
export interface ServiceTerms {
  lane: Lane
  expiresAt: string | undefined
  eraseWhenTerminal: boolean
  /** The language of the texts of the request, where the service knows it. */
  writtenLocale?: string | undefined
}

/** A dispatch request with a verified caller and a valid shape. */
export interface Candidate {
  notificationId: `notif_${string}`
  principal: Sender
  request: DispatchRequest
  traceparent: string | null
  isAwaited: IsAwaited
  /** Whether the gateway sent it before, under the same id, and the answer may be lost. */
  isRepeated?: boolean | undefined
  idempotency: { scope: string; key: string; fingerprint: string } | undefined
  /** The broadcast that it is part of. */
  broadcastId?: Id<'bc'>
  /** When that was requested. */
  askedAt?: Date
  /** The digest that it is. */
  digestId?: Id<'dig'>
  /** Set when another service, a broadcast or a digest sends it, which repeats the request with the same id. */
  terms?: ServiceTerms
}

/** A validated notification, ready to commit. */
export interface NewNotification {
  candidate: Candidate
  channel: Channel
  lane: Lane
  recipientMasked: string
  recipientIndex: string
  payload: Buffer
  /** Who else receives it. */
  copies?: readonly CopyRow[] | undefined
  /** Its files, encrypted as one value. */
  files?: Buffer | undefined
  /** The caller's metadata, encrypted. */
  metadata: Buffer | undefined
  /** When to send it; undefined for at once. */
  sendAt: Date | undefined
  /** What its recipient may have switched off; undefined for what is always sent. */
  topic?: string | undefined
  /** Blind index of the user that the request names beside or in place of an address, whose choices count too. */
  userIndex?: string | undefined
  /** The digest that it waits for as an item. */
  joined?: Joined | undefined
  credits: number
  /** Of the carrier's template. */
  category: string | null
  /** The digits that tell the country of a phone number, and the parts of an SMS. */
  countryPrefix?: string | undefined
  segments?: number | undefined
  /** The language of its text, where it is known. */
  locale?: string | undefined
  /** The answer's text, kept for replays. */
  response: string
}

/** The result of a request: the response text, or a problem. */
export type AcceptOutcome = { body: string; replayed?: true } | Problem

/** An error as the caller sees it. */
export function refusalOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem('internal_error', 'An internal error occurred; try again', { cause: error })
}

const mendable: readonly ErrorCode[] = ['provider_not_configured', 'domain_not_verified', 'template_not_approved']

/**
 * How long broadcasts and digests wait for a refusal to pass: until it does, or up to `HOLD_LIMIT` where it may need an operator, as
 * an error does that one recipient's data causes.
 */
export function waitFor({ status, code }: { status: number; code: string }): 'always' | 'limited' | 'never' {
  if (status === 429 || code === 'service_unavailable') return 'always'
  return status >= 500 || (mendable as readonly string[]).includes(code) ? 'limited' : 'never'
}

/** The mutual exclusion of a request: its idempotency key in its scope, or its id if it has no key. */
export function identityOf({ idempotency, notificationId }: Pick<Candidate, 'idempotency' | 'notificationId'>): string {
  return idempotency ? `${idempotency.scope}\n${idempotency.key}` : notificationId
}

/** Whether only its id shows that a request was committed before: one with a key finds its stored answer. */
export const isKnownById = ({ terms, isRepeated = false, idempotency }: Candidate): boolean =>
  terms !== undefined || (isRepeated && idempotency === undefined)

/** Whether a new notification waits: for its time, or for its digest. */
export const isForLater = ({ sendAt, joined }: Pick<NewNotification, 'sendAt' | 'joined'>): boolean =>
  sendAt !== undefined || joined !== undefined

export const firstStatusOf = (one: Pick<NewNotification, 'sendAt' | 'joined'>) =>
  isForLater(one) ? ('scheduled' as const) : ('queued' as const)

/** Whether its first status is published as a fact: no service uses the fact that a code is queued. */
export const leavesFact = (one: Pick<NewNotification, 'lane' | 'sendAt' | 'joined'>): boolean =>
  one.lane !== 'otp' || firstStatusOf(one) !== 'queued'

/**
 * Most notifications need a plain statement. Others take a position in the order of their inbox, have rows in other tables, or are
 * items of digests.
 */
export type Kind = '' | '-ordered' | '-parts' | '-digest'
/** Those that lock a row which others may wait for come last. */
export const kinds: readonly Kind[] = ['', '-parts', '-ordered', '-digest']

/** The kind of statement that commits a notification. */
export function kindOf(channels: Channels, one: NewNotification): Kind {
  if (one.joined) return '-digest'
  if (one.copies || one.files) return '-parts'
  const { delivery } = channels[one.channel]!
  return delivery.by === 'hand-off' && delivery.keepsOrder && !isForLater(one) ? '-ordered' : ''
}

/** The lane that a request is sent in. */
export const laneOf = ({ terms, request }: Pick<Candidate, 'terms' | 'request'>): Lane =>
  terms?.lane ?? request.priority

/** After this time it is not sent. In UTC: Postgres refuses offsets that ISO 8601 allows. */
export function expiryOf({ terms, request }: Pick<Candidate, 'terms' | 'request'>): string | undefined {
  const given = terms ? terms.expiresAt : request.expires_at
  return given && new Date(given).toISOString()
}

/** The answer to a request that is accepted, as JSON text. */
export function acceptedText(
  { notificationId, request }: Candidate,
  delivery_status: NotificationAccepted['delivery_status'] = 'queued',
  copies: readonly CopyRow[] = [],
): string {
  const answer: NotificationAccepted = {
    status: 'accepted',
    notification_id: notificationId,
    channel: request.channel,
    delivery_status,
    ...leftOut(copies),
  }
  return JSON.stringify(answer)
}

interface Raw {
  notificationId: Candidate['notificationId']
  principal: KeyPrincipal
  request: unknown
  traceparent: string | undefined
  idempotencyKey: string | undefined
  isAwaited: IsAwaited
  isRepeated?: boolean | undefined
}

/** @throws Problem `validation_failed` for a request that does not fit its schema */
export function readCandidate({ secrets }: Pick<Context, 'secrets'>, raw: Raw): Candidate {
  const { notificationId, principal, traceparent, idempotencyKey, isAwaited, isRepeated } = raw
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
  return { notificationId, principal, request, traceparent: traceparent ?? null, idempotency, isAwaited, isRepeated }
}
