import { anyOne, type Channel, type Frequency, type PreferenceState, type TopicKind } from '@notify/contracts'

/** A choice of a person, made as a user or for an address. */
export interface Choice {
  topic: string
  channel: Channel | typeof anyOne
  state: PreferenceState
}

/** A message of a topic. */
export interface Asked {
  topic: string
  channel: Channel
  /** Of the topic; undefined when it was deleted. */
  kind: TopicKind | undefined
}

/** What decides: a choice, or the kind of the topic. */
export type Decision<C extends Choice> = { sends: boolean; by: C | 'kind' }

/** Whether a choice counts for a message at all. */
export const appliesTo = ({ topic, channel }: Asked, choice: Choice): boolean =>
  (choice.topic === topic || choice.topic === anyOne) && (choice.channel === channel || choice.channel === anyOne)

/** How wide a choice is; of several that switch off, the narrowest is named. */
const widthOf = ({ topic, channel }: Choice): number => Number(topic === anyOne) * 2 + Number(channel === anyOne)

/** Whether a choice for every topic or every channel stops a message, whatever a narrower one says. */
export const isOverridden = (asked: Asked, choices: readonly Choice[]): boolean =>
  asked.kind !== 'required' && choices.some((one) => one.state === 'off' && widthOf(one) > 0 && appliesTo(asked, one))

/**
 * Decides whether a message goes out: a required topic always does; any `off` that applies stops it; an `on` for the topic sends
 * it; then the kind of the topic decides. `optedOutBecause` is the same in SQL.
 */
export function decidePreference<C extends Choice>(asked: Asked, choices: readonly C[]): Decision<C> {
  if (asked.kind === 'required') return { sends: true, by: 'kind' }
  const applying = choices.filter((one) => appliesTo(asked, one))
  const [off] = applying.filter(({ state }) => state === 'off').sort((a, b) => widthOf(a) - widthOf(b))
  if (off) return { sends: false, by: off }
  const on = applying.find(({ topic }) => topic === asked.topic)
  return on ? { sends: true, by: on } : { sends: asked.kind !== 'off', by: 'kind' }
}

/** A choice with how often, and whose it is. */
interface TimedChoice extends Choice {
  recipient_index: string
  frequency: Frequency | null
}

/** Whether another frequency counts for a message where the one of its topic and channel is removed. */
export const hasWiderFrequency = (asked: Asked, choices: readonly TimedChoice[]): boolean =>
  choices.some((one) => one.state === 'on' && one.frequency !== null && widthOf(one) > 0 && appliesTo(asked, one))

/** How often a person wants digests, as `find-frequencies` says. @param indexes the user's before the address's */
export function frequencyOf(
  asked: Asked,
  choices: readonly TimedChoice[],
  indexes: readonly string[],
): Frequency | null {
  if (asked.kind === 'required') return null
  const [narrowest] = choices
    .filter((one) => one.state === 'on' && one.frequency !== null && appliesTo(asked, one))
    .sort((a, b) => widthOf(a) - widthOf(b) || indexes.indexOf(a.recipient_index) - indexes.indexOf(b.recipient_index))
  return narrowest?.frequency ?? null
}
