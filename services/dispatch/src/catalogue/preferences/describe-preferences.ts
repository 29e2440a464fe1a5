import { type Channel, channelContracts, type Preferences } from '@notify/contracts'
import type { Run } from '@notify/database'
import { lookUp } from '@notify/locales'
import type { KnownTopic } from '../topics/topic-directory.ts'
import { decidePreference, frequencyOf, isOverridden } from './decide-preference.ts'
import type { LinkedAddress } from './linked-subjects.ts'
import type { Subject } from './person.ts'
import { type ChoiceRow, type PreferenceOwner, readChoices } from './preference-store.ts'

/** The name and the description of a topic in the first of the languages that it has. */
export function wordsOf({ name, description, translations }: KnownTopic, locales: readonly (string | undefined)[]) {
  const wanted = locales.flatMap((one) => Intl.getCanonicalLocales(one ?? [])[0] ?? [])
  const [found] = lookUp(wanted, (one) => Object.hasOwn(translations, one))
  return found === undefined ? { name, description } : translations[found]!
}

/** Whether a frequency has an effect. */
export const hasDigests = ({ kind, digest_channels }: KnownTopic, channel: Channel): boolean =>
  kind !== 'required' && digest_channels.includes(channel)

/** A name whose choices count. Those of a linked address count on the channels that use it, and are not listed. */
type Counted = Pick<Subject, 'index'> & Partial<Pick<LinkedAddress, 'field'>>

/** The choices of a person, and what follows from them for each topic. @param subjects the user before addresses */
export function describePreferences(
  topics: readonly KnownTopic[],
  choices: readonly ChoiceRow[],
  subjects: readonly Counted[],
  locales: readonly (string | undefined)[],
): Preferences {
  const indexes = subjects.map(({ index }) => index)
  const fieldOf = new Map(subjects.map(({ index, field }) => [index, field]))
  const own = choices.filter(({ recipient_index }) => fieldOf.get(recipient_index) === undefined)
  const countingOn = (channel: Channel) => {
    const { addressField } = channelContracts[channel]
    return choices.filter((one) => [undefined, addressField].includes(fieldOf.get(one.recipient_index)))
  }
  return {
    topics: topics.map((topic) => ({
      ...{ topic_key: topic.topic_key, kind: topic.kind, ...wordsOf(topic, locales) },
      channels: topic.channels.map((channel) => {
        const asked = { topic: topic.topic_key, kind: topic.kind, channel }
        const counting = countingOn(channel)
        const { sends } = decidePreference(asked, counting)
        return {
          ...{ channel, state: sends ? 'on' : 'off', overridden: isOverridden(asked, counting) },
          digests: hasDigests(topic, channel),
          frequency: frequencyOf(asked, counting, indexes),
        }
      }),
    })),
    rules: own.map(describeChoice),
  }
}

export function describeChoice({ topic, channel, state, frequency, source, changed_at }: ChoiceRow) {
  return { topic, channel, state, frequency, source, changed_at: changed_at.toISOString() }
}

interface Read {
  /** Listed before a transaction begins: they take a connection of their own. */
  topics: readonly KnownTopic[]
  subjects: readonly Counted[]
  locales: readonly (string | undefined)[]
}

/** Reads them. */
export async function readPreferences(
  run: Run,
  owner: PreferenceOwner,
  { topics, subjects, locales }: Read,
): Promise<Preferences> {
  const indexes = subjects.map(({ index }) => index)
  const choices = await readChoices(run, owner, indexes)
  return describePreferences(topics, choices, subjects, locales)
}
