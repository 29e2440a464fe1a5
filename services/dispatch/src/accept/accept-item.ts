import type { Channel, DispatchRequest, KeyPrincipal, Lane } from '@notify/contracts'
import type { IsAwaited, Problem } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { WithCarrierTemplates } from '../catalogue/carrier-templates/carrier-template-directory.ts'
import type { WithConsents } from '../catalogue/consents/consent-directory.ts'
import type { WithDomains } from '../catalogue/domains/verified-domains.ts'
import type { WithEvents } from '../catalogue/events/event-catalogue.ts'
import type { WithProviders } from '../catalogue/providers/provider-directory.ts'
import type { WithTemplates } from '../catalogue/templates/template-catalogue.ts'
import type { Draft } from '../channels/channel.ts'
import type { Context } from '../context.ts'
import type { WakeSenders } from '../deliver/queues/wake-senders.ts'

/** What acceptance needs of the context. */
export type AcceptContext = Context &
  WithEvents &
  WithTemplates &
  WithProviders &
  WithDomains &
  WithConsents &
  WithCarrierTemplates & { renderer: Renderer; wakeSenders: WakeSenders }

/** The recipient of a notification. */
export type Sender = Pick<KeyPrincipal, 'tenant_id' | 'application_id' | 'mode'>

/** What another service of ours decides for its notification, beyond the public request. */
export interface ServiceTerms {
  lane: Lane
  expiresAt: string | undefined
  eraseWhenTerminal: boolean
}

/** A message of a known event, or of the caller's own words, to a valid recipient. */
export interface Prepared {
  draft: Draft
  /** The payload as JSON, which may take its time. */
  content: Promise<string>
}

/** A dispatch request whose caller and shape are known to be good. */
export interface Candidate {
  notificationId: `notif_${string}`
  principal: Sender
  request: DispatchRequest
  traceparent: string | null
  isAwaited: IsAwaited
  /** What was found out before the request is judged along with others. */
  prepared?: Prepared
  idempotency: { scope: string; key: string; fingerprint: string } | undefined
  /** Set when another service sends it, which then repeats the request with the same id. */
  terms?: ServiceTerms
}

/** One text for an idempotency key in its scope. */
export function identityOf({ scope, key }: { scope: string; key: string }): string {
  return `${scope}\n${key}`
}

/** The lane that a request is sent in. */
export const laneOf = ({ terms, request }: Pick<Candidate, 'terms' | 'request'>): Lane =>
  terms?.lane ?? request.priority

/** A validated notification, ready to commit. */
export interface NewNotification {
  candidate: Candidate
  channel: Channel
  lane: Lane
  recipientMasked: string
  recipientIndex: string
  payload: Buffer
  /** The caller's metadata, encrypted. */
  metadata: Buffer | undefined
  /** When it is to be sent; at once without one. */
  sendAt: Date | undefined
  credits: number
  /** Of the carrier's template. */
  category: string | null
  /** The answer's text, kept for replays. */
  response: string
}

/** The result of a request: the response text, or a problem. */
export type AcceptOutcome = { body: string; replayed?: true } | Problem
