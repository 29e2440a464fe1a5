import type { TextSize } from '@notify/carriers/kinds'
import type { Channel, Digest } from '@notify/contracts'
import { fieldProblem, ownLoopTurn, Problem } from '@notify/service-kit'
import type { Fill, InTurn } from '@notify/templates'
import { asOnlyItem, requireDigestible, requireOwnNames } from '../catalogue/digests/digest-item.ts'
import type { WithEvents } from '../catalogue/events/event-catalogue.ts'
import { layoutFinder } from '../catalogue/layouts/layout-catalogue.ts'
import { linkOf, withLinks } from '../catalogue/preferences/link-variables.ts'
import type { NamedUser } from '../catalogue/recipients/recipient-directory.ts'
import { type Addressed, addressed } from '../catalogue/recipients/resolve-recipient.ts'
import type { WithTemplates } from '../catalogue/templates/template-catalogue.ts'
import { topicMissing } from '../catalogue/topics/describe-topic.ts'
import type { KnownTopic, WithTopics } from '../catalogue/topics/topic-directory.ts'
import { chooseText, formatOf, type Texts } from '../catalogue/translations/choose-text.ts'
import type { Draft } from '../channels/channel.ts'
import type { FilledReference } from '../channels/channel-template.ts'
import { type AcceptContext, type Candidate, laneOf } from './accept-item.ts'

/** The number of characters that take milliseconds to encrypt and serialize. */
const largeText = 50_000

/** A message of a known event, or with the caller's own content, to a valid recipient. */
interface Prepared {
  draft: Draft
  /** Whom the request names in place of an address. */
  user: NamedUser | undefined
  /** The carrier's templates that it could be made of, none of which may be approved. */
  alternatives: readonly FilledReference[]
  /** The language of the text, where it is known. */
  locale: string | undefined
  /** What its recipient may have switched off; undefined for what is always sent. */
  topic: string | undefined
  /** How it is put together with others; undefined for what is sent alone. */
  digest: Digest | undefined
  /** It may take a while. */
  content: Promise<Composed>
}

interface Composed {
  /** The payload as JSON. */
  json: string
  size: TextSize | undefined
}

/**
 * Applies the first rules of a dispatch, event, channel and recipient, and begins to compose.
 * @throws Problem with the documented code
 */
export async function prepare(context: AcceptContext, given: Candidate): Promise<Prepared> {
  const texts = await findTexts(context, given)
  const topic = await topicOf(context, given, texts)
  const { channel } = given.request
  const definition = context.channels[channel]
  if (!definition) throw providerMissing(channel)
  const known = given.digestId === undefined ? texts?.digest : undefined
  // Broadcasts are sent when they say.
  const digest = (!given.terms && known) || undefined
  if (digest) requireDigestible(given.request, digest)
  else if (known) requireOwnNames(given.request)
  // An item is rendered alone, so that what its digest could not be made of is refused at once.
  const rendered = known ? { ...given, request: asOnlyItem(given.request, known) } : given
  const candidate = await addressed(context, rendered)
  const { text, draft, alternatives } = await chooseText(
    context,
    { ...candidate, lane: laneOf(candidate) },
    definition,
    texts,
  )
  const switched = topic === undefined || (await isRequired(context, candidate, topic)) ? undefined : topic
  const { recipient, locale = candidate.user?.locale ?? text.locale } = given.request
  const link = linkOf(context, { candidate, recipient, draft, locale, topic: switched })
  const content = makeContent(context, candidate, { draft, link, isSwitched: switched !== undefined }, text)
  // It is awaited only after the other rules; until then a rejection would count as unhandled.
  content.catch(() => {})
  return { draft, user: candidate.user, alternatives, locale: text.locale, topic, digest, content }
}

const isRequired = async ({ directory }: WithTopics, { principal }: Candidate, topic: string): Promise<boolean> =>
  (await directory.topics.find(principal.application_id, topic))?.kind === 'required'

export function providerMissing(channel: string): Problem {
  return new Problem('provider_not_configured', `No provider is configured for ${channel}; add one before sending`)
}

/** Composes a payload. @throws Problem naming the field at fault */
async function makeContent(
  context: AcceptContext,
  candidate: Addressed<Candidate>,
  { draft, link, isSwitched }: { draft: Draft; link: () => string; isSwitched: boolean },
  chosen: Parameters<typeof formatOf>[1],
): Promise<Composed> {
  const { renderer } = context
  const { tenant_id } = candidate.principal
  const definition = context.channels[candidate.request.channel]!
  // Other messages of the tenant never use up the budget of its codes.
  const budget = laneOf(candidate) === 'otp' ? `${tenant_id} otp` : tenant_id
  let filled = 0
  const fill: Fill = async (texts, variables) => {
    const made = await renderer.fill(budget, texts, withLinks(texts, variables, link), formatOf(candidate, chosen))
    for (const { length } of made) filled += length
    return made
  }
  // Before a text is made of it: what is refused then costs as much.
  const given = htmlIn(candidate.request)
  renderer.charge(budget, given)
  const inTurn: InTurn = (work) => renderer.inTurn(budget, work)
  const owner = { tenantId: tenant_id, applicationId: candidate.principal.application_id, locale: chosen.locale }
  const composed = await draft.compose(chosen.templates, fill, { findLayout: layoutFinder(context, owner), inTurn })
  const payload = (isSwitched && definition.withLink?.(composed, link())) || composed
  const json = JSON.stringify(payload)
  // Rendered texts are charged already; these are the other texts given in the request, and one made of HTML.
  renderer.charge(budget, json.length - filled - given, given)
  if (json.length > largeText) await ownLoopTurn(budget)
  return { json, size: definition.sizeOf?.(payload) }
}

/** The characters of HTML that is sent as the request gives it. */
const htmlIn = ({ html_body = '', template_data }: Candidate['request']): number =>
  template_data === undefined ? html_body.length : 0

/**
 * The templates of the event, or the stored template, that a request names, with one for its channel.
 * @returns undefined in the content form
 * @throws Problem `event_not_found` or `channel_not_allowed` of an event, `validation_failed` of a stored template
 */
export async function findTexts(
  context: WithEvents & WithTemplates,
  candidate: Pick<Candidate, 'principal' | 'request' | 'digestId'>,
): Promise<Texts | undefined> {
  const { event_key, template_id } = candidate.request
  if (event_key !== undefined) return ofEvent(context, candidate, event_key)
  if (template_id !== undefined) return stored(context, candidate, template_id)
  return undefined
}

/**
 * The topic that the event or the request names. Codes have none: they are always sent.
 * @throws Problem `topic_not_found`, `topic_required`, `channel_not_allowed`
 */
export async function topicOf(
  { directory }: WithTopics,
  candidate: Pick<Candidate, 'principal' | 'request' | 'terms' | 'broadcastId' | 'digestId'>,
  texts: Texts | undefined,
): Promise<string | undefined> {
  if (candidate.terms && (candidate.broadcastId ?? candidate.digestId) === undefined) return undefined
  const { principal, request } = candidate
  const topic = texts?.topic ?? request.topic
  if (topic !== undefined) {
    const known = await directory.topics.find(principal.application_id, topic)
    // An event's topic exists; if it was deleted by other means, the choices of recipients still count.
    if (!known && !texts?.topic) throw topicMissing('topic')
    // The items of a digest were accepted before.
    if (known && candidate.digestId === undefined) requireListed(known, request.channel)
    return topic
  }
  if (!principal.bulk_requires_topic || request.priority !== 'bulk') return undefined
  const [path, message] = ['topic', 'is missing: this application sends bulk messages only with a topic']
  throw new Problem('topic_required', `${path} ${message}`, { errors: [{ path, message }] })
}

/** Refuses a message that nobody could switch off where people choose. */
function requireListed({ topic_key, kind, channels }: KnownTopic, channel: Channel): void {
  if (kind === 'required' || channels.includes(channel)) return
  const listed = channels.join(', ')
  throw new Problem(
    'channel_not_allowed',
    `The topic ${topic_key} cannot be switched for ${channel}; it lists ${listed}`,
  )
}

async function ofEvent(
  { directory }: WithEvents,
  { principal, request, digestId }: Pick<Candidate, 'principal' | 'request' | 'digestId'>,
  key: string,
) {
  const find = digestId === undefined ? directory.events.find : directory.events.findKept
  const event = await find(principal.application_id, key)
  if (!event) throw new Problem('event_not_found', `This application has no published event with the key ${key}`)
  const { channel } = request
  if (!event.allowed_channels.includes(channel)) {
    const allowed = event.allowed_channels.join(', ')
    throw new Problem('channel_not_allowed', `The event ${key} does not allow ${channel}; it allows ${allowed}`)
  }
  if (!event.templates[channel]) {
    throw new Problem('channel_not_allowed', `The event ${key} has no template for ${channel}`)
  }
  return event
}

async function stored(
  { directory }: WithTemplates,
  { principal, request }: Pick<Candidate, 'principal' | 'request'>,
  id: string,
) {
  const found = await directory.templates.find(principal.tenant_id, principal.application_id, id)
  if (found?.templates[request.channel]) return found
  const message = found
    ? `names a template that has no part for ${request.channel}`
    : 'names no stored template that this application may use'
  throw fieldProblem('validation_failed', 'template_id', message)
}
