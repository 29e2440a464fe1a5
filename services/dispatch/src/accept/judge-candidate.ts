import { exceededLimit, type TextSize } from '@notify/carriers/kinds'
import { type Channel, channelContracts, type Frequency } from '@notify/contracts'
import { fieldProblem, Problem } from '@notify/service-kit'
import { requireApproved } from '../catalogue/carrier-templates/require-approved.ts'
import { requireConsent } from '../catalogue/consents/require-consent.ts'
import { type ItemContent, joinedBy } from '../catalogue/digests/digest-item.ts'
import { asOftenAs } from '../catalogue/digests/digest-window.ts'
import { domainOf, type WithDomains } from '../catalogue/domains/verified-domains.ts'
import type { ListedProvider } from '../catalogue/providers/provider-directory.ts'
import type { NamedUser } from '../catalogue/recipients/recipient-directory.ts'
import { readSendAt, requireTime, zoneOf } from '../catalogue/recipients/time-to-send.ts'
import { judgeCopies } from '../catalogue/suppressions/judge-copies.ts'
import { attachmentAad } from '../channels/attachment-column.ts'
import type { ChannelDefinition } from '../channels/channel.ts'
import { framed } from '../channels/file-frame.ts'
import { payloadAad } from '../channels/payload-aad.ts'
import { requireFit } from '../outcome/hand-offs/hand-off-events.ts'
import { sealMetadata } from '../outcome/notifications/metadata.ts'
import {
  type AcceptContext,
  acceptedText,
  type Candidate,
  expiryOf,
  firstStatusOf,
  laneOf,
  type NewNotification,
  type Sender,
} from './accept-item.ts'
import { prepare, providerMissing } from './prepare-content.ts'

/**
 * Applies the rules of a dispatch in their documented order: event, channel, recipient, provider, sender, consent, template,
 * rendering. Whether the recipient is suppressed is seen by the commit.
 * @throws Problem with the documented code
 */
export async function judgeCandidate(context: AcceptContext, candidate: Candidate): Promise<NewNotification> {
  const { principal, request, notificationId } = candidate
  const { tenant_id } = principal
  const { channel } = request
  const lane = laneOf(candidate)
  const { draft, user, alternatives, locale, topic, digest, content } = await prepare(context, candidate)
  const definition = context.channels[channel]!
  const providers = await requireProvider(context, principal, definition)
  if (draft.from !== undefined) await requireVerified(context, tenant_id, draft.from)
  const recipientIndex = context.secrets.blindIndex(tenant_id, draft.to)
  if (channelContracts[channel].needsConsent) await requireConsent(context, principal, recipientIndex, draft.template)
  if (draft.template) await requireApproved(context, providers, alternatives)
  const sendAt = readSendAt(request, zoneOf(request, user, principal), candidate.askedAt?.getTime())
  requireTime(request, sendAt)
  const copies =
    draft.copies &&
    (await judgeCopies(
      context,
      { id: notificationId, tenantId: tenant_id, channel, mode: principal.mode },
      draft.copies,
    ))
  const files = draft.files && framed(await draft.files((url, field) => context.fetchFile(tenant_id, url, field)))
  const window = digest && asOftenAs(digest, await frequencyOf(context, candidate, { topic, user, recipientIndex }))
  const joined = window && joinedBy(context, { principal, request, lane, to: draft.to, user }, window)
  const { json, size } = await content
  requireTextThatFits(candidate, providers, size)
  if (definition.delivery.by === 'hand-off') {
    requireNoTerms(candidate, channel)
    requireFit(json)
  }
  // Without spread properties: with them, making this object takes microseconds.
  return {
    candidate,
    channel,
    lane,
    recipientMasked: draft.masked,
    recipientIndex,
    userIndex: user?.index,
    payload: context.secrets.keyRing.encrypt(
      joined ? itemOf(candidate) : json,
      payloadAad(definition, { id: notificationId, tenantId: tenant_id, lane }),
    ),
    copies,
    files: files && context.secrets.keyRing.encrypt(files, attachmentAad(tenant_id, notificationId)),
    metadata: request.metadata && sealMetadata(context.secrets.keyRing, request.metadata, tenant_id, notificationId),
    sendAt,
    topic,
    // The digest is charged.
    credits: joined ? 0 : draft.credits,
    joined,
    category: draft.template?.category ?? null,
    countryPrefix: draft.countryPrefix,
    segments: size?.segments,
    locale,
    response: acceptedText(candidate, firstStatusOf({ sendAt, joined }), copies),
  }
}

/** What is kept of an item until its digest is composed. */
function itemOf({ request, principal: { default_locale, default_time_zone } }: Candidate): string {
  const item: ItemContent = { digest_item: 1, request, default_locale, default_time_zone }
  return JSON.stringify(item)
}

/** How often the recipient wants messages of the topic. */
async function frequencyOf(
  { directory }: AcceptContext,
  { principal, request }: Candidate,
  { topic, user, recipientIndex }: Pick<NewNotification, 'topic' | 'recipientIndex'> & { user: NamedUser | undefined },
): Promise<Frequency | undefined> {
  if (topic === undefined) return undefined
  const { application_id: applicationId, mode } = principal
  const indexes = [user?.index ?? recipientIndex, recipientIndex]
  return directory.frequencies.find({ applicationId, mode, topic, channel: request.channel, indexes })
}

/** @returns the providers that dispatch sends through; none for a hand-off */
export async function requireProvider(
  { directory, config }: AcceptContext,
  { tenant_id, application_id, mode }: Sender,
  { name: channel, delivery }: ChannelDefinition,
): Promise<ListedProvider[]> {
  if (delivery.by === 'hand-off') {
    const isMissing = delivery.needsProvider && !(await directory.providers.has(tenant_id, application_id, channel))
    if (isMissing) throw providerMissing(channel)
    return []
  }
  const providers = await directory.providers.list(tenant_id, application_id, channel)
  if (providers.length === 0) throw providerMissing(channel)
  if (mode === 'test' && config.CARRIER_SANDBOX_URL === undefined) throw sandboxMissing()
  return providers
}

const sandboxMissing = () =>
  new Problem(
    'provider_not_configured',
    'This installation has no carrier sandbox, to which messages of test keys go: set CARRIER_SANDBOX_URL, or use a live key',
  )

/** A text that no provider of the tenant takes would fail at each of them. @throws Problem `validation_failed` */
export function requireTextThatFits(
  { request }: Pick<Candidate, 'request'>,
  providers: readonly ListedProvider[],
  size: TextSize | undefined,
): void {
  if (!size) return
  const limits = new Set<string>()
  for (const { kind } of providers) {
    const limit = exceededLimit(kind, size)
    if (limit === undefined) return
    limits.add(`${limit}, the most of ${kind}`)
  }
  if (limits.size === 0) return
  const path = request.event_key ? 'data' : request.template_id ? 'template_data' : 'body'
  throw fieldProblem('validation_failed', path, `gives a text of more than ${[...limits].join(', and of ')}`)
}

/** Dispatch can neither stop nor erase a hand-off. @throws Problem `validation_failed` */
export function requireNoTerms(candidate: Pick<Candidate, 'request' | 'terms'>, channel: Channel): void {
  const fields = [
    expiryOf(candidate) && 'expires_at',
    candidate.terms?.eraseWhenTerminal && 'erase_when_terminal',
  ].filter((one) => one)
  if (fields.length === 0) return
  const message = `cannot be kept by ${channel}`
  throw new Problem('validation_failed', `${fields.join(' and ')} ${message}`, {
    errors: fields.map((path) => ({ path: path as string, message })),
  })
}

/** The domain's owner is responsible for email from it, so the tenant must have verified the domain. */
export async function requireVerified({ directory }: WithDomains, tenantId: string, from: string): Promise<void> {
  const domain = domainOf(from)
  if (await directory.domains.isVerified(tenantId, domain)) return
  throw new Problem(
    'domain_not_verified',
    `${domain} is not a verified sending domain: add it (POST /api/v1/domains), publish its records and have them verified, or leave from out`,
    { errors: [{ path: 'from', message: 'must be an address at a verified sending domain' }] },
  )
}
