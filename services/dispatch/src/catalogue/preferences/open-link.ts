import {
  anyOne,
  Channel,
  type openPreferenceLink as contract,
  type LinkAction,
  type OpenedLink,
} from '@notify/contracts'
import { lookUp, preferencePageWords } from '@notify/locales'
import { addLogFields, type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { KnownTopic, WithTopics } from '../topics/topic-directory.ts'
import { type Asked, decidePreference, frequencyOf, hasWiderFrequency, isOverridden } from './decide-preference.ts'
import { hasDigests, wordsOf } from './describe-preferences.ts'
import { makeChoices, type Wanted } from './make-choices.ts'
import type { LinkContent, WithLinks } from './message-links.ts'
import { type Subject, subjectsOf } from './person.ts'
import { type ChoiceRow, type PreferenceOwner, readChoices } from './preference-store.ts'

/** Opens the link of a message. What its reader chose there is committed when this returns. */
export const openLink: Handler<Context & WithTopics & WithLinks, typeof contract> = async (context, { body }) => {
  const link = context.links.open(body.token)
  if (!link)
    throw new Problem('link_not_valid', 'This installation did not create this link, or the link is incomplete')
  const { tenantId, applicationId, mode, channel, to, userId } = link
  // The gateway calls for nobody's tenant: what follows takes connections of the share of this one.
  addLogFields({ tenant_id: tenantId })
  const owner: PreferenceOwner = { tenantId, applicationId, mode }
  const topics = await context.directory.topics.list(applicationId)
  // The choice counts for the address that got the message, and for the user wherever else they are reached.
  const named = context.channels[channel]?.isToUser ? { user_id: to } : { user_id: userId, address: to }
  const subjects = subjectsOf(context, tenantId, named)
  const indexes = subjects.map(({ index }) => index)
  const { choice } = body
  const choices = await context.db.transaction(async (run) => {
    const known = await readChoices(run, owner, indexes)
    if (!choice) return known
    const wanted = subjects.flatMap((subject) =>
      wantedBy(choice, link, { topics, known, indexes }, subject).map((one) => ({ ...one, subject })),
    )
    const source = choice.action === 'unsubscribe' ? 'one_click' : 'page'
    await makeChoices(context, run, owner, wanted, { source, actor: null })
    return readChoices(run, owner, indexes)
  })
  if (choice) context.wakeOutbox()
  return describe(context, link, { topics, known: choices, indexes }, body.locales)
}

/** Topics that a link shows: those that can be switched for its channel, and the one of its message. */
const shownBy = ({ channel, topic }: LinkContent, topics: readonly KnownTopic[]) =>
  topics.filter(({ channels, topic_key }) => channels.includes(channel) || topic_key === topic)

/** The choices that keep every other channel off. */
const othersThan = (channel: Channel): Wanted[] =>
  Channel.options.filter((other) => other !== channel).map((other) => ({ topic: anyOne, channel: other, state: 'off' }))

const askedOf = ({ channel }: LinkContent, { topic_key: topic, kind }: KnownTopic): Asked => ({ topic, channel, kind })

/** Whether a choice switches everything off for the channel of a link. */
const stopsAll = ({ channel }: LinkContent, one: ChoiceRow) =>
  one.topic === '*' && one.state === 'off' && (one.channel === channel || one.channel === '*')

interface Known {
  topics: readonly KnownTopic[]
  known: readonly ChoiceRow[]
  /** The user's before the address's. */
  indexes: readonly string[]
}

/** The choices that an action makes for one subject of its reader; those that change nothing are left out. */
function wantedBy(
  choice: LinkAction,
  link: LinkContent,
  { topics, known, indexes }: Known,
  { index }: Subject,
): Wanted[] {
  const { channel } = link
  switch (choice.action) {
    case 'unsubscribe':
      return [{ topic: link.topic ?? '*', channel, state: 'off' }]
    case 'stop_all':
      return [{ topic: '*', channel, state: 'off' }]
    case 'start_again':
      return known
        .filter((one) => one.recipient_index === index && stopsAll(link, one))
        .flatMap((one): Wanted[] => [
          { topic: anyOne, channel: one.channel, state: null },
          // The page is about one channel: the others stay off.
          ...(one.channel === anyOne ? othersThan(channel) : []),
        ])
    case 'save': {
      const states = new Map<string, 'on' | 'off'>()
      for (const topic of choice.off) states.set(topic, 'off')
      for (const topic of choice.on) states.set(topic, 'on')
      const frequencies = new Map(choice.frequencies.map(({ topic, frequency }) => [topic, frequency]))
      return shownBy(link, topics).flatMap((topic): Wanted[] => {
        const { topic_key, kind } = topic
        const asked = askedOf(link, topic)
        const { sends, by } = decidePreference(asked, known)
        const chosen = states.get(topic_key)
        const state = chosen ?? (sends ? 'on' : 'off')
        // An off for everything does not keep the topic off: it may be lifted.
        const isKept = by === 'kind' || (by.topic === topic_key && by.channel === channel)
        const isNew = chosen === 'off' ? sends || !isKept : chosen === 'on' && !sends
        const frequency = state === 'on' && hasDigests(topic, channel) ? frequencies.get(topic_key) : undefined
        const isOther = frequency !== undefined && frequency !== frequencyOf(asked, known, indexes)
        if (kind === 'required' || !(isNew || isOther)) return []
        return [{ topic: topic_key, channel, state, ...(isOther && { frequency }) }]
      })
    }
  }
}

function describe(
  { channels }: Pick<Context, 'channels'>,
  link: LinkContent,
  { topics, known: choices, indexes }: Known,
  locales: readonly string[],
): OpenedLink {
  const { tenantId, applicationId, channel, to, topic } = link
  const shown = shownBy(link, topics)
  const languages = languagesOf([link.locale, ...locales])
  return {
    ...{ tenant_id: tenantId, application_id: applicationId, channel },
    recipient_masked: channels[channel]?.suppression?.mask(to) ?? '',
    locale: link.locale ?? null,
    topic: topic ?? null,
    all_off: choices.some((one) => stopsAll(link, one)),
    topics: shown.map((one) => {
      const asked = askedOf(link, one)
      const { sends } = decidePreference(asked, choices)
      return {
        ...{ topic_key: one.topic_key, ...wordsOf(one, languages) },
        state: one.kind === 'required' ? 'required' : sends ? 'on' : 'off',
        overridden: isOverridden(asked, choices),
        digests: hasDigests(one, channel),
        frequency: frequencyOf(asked, choices, indexes),
        is_removable: !hasWiderFrequency(asked, choices),
      }
    }),
  }
}

/** The languages of a reader down to that of the page: topics in one that comes after it would mix languages. */
function languagesOf(locales: readonly (string | undefined)[]): string[] {
  const wanted = locales.filter((one) => one !== undefined)
  const all = lookUp(Intl.getCanonicalLocales(wanted), () => true)
  const ofPage = all.findIndex((one) => Object.hasOwn(preferencePageWords, one))
  return ofPage < 0 ? all : all.slice(0, ofPage + 1)
}
