/** `on` sends, `off` does not. */
export type PreferenceState = 'on' | 'off'

/** How often messages of a topic that are put together in digests are wanted; `instant`: each alone, at once. */
export type PreferenceFrequency = 'instant' | 'hourly' | 'daily' | 'weekly'

/** A choice to make for a topic and a channel; `*` stands for all of them. */
export interface PreferenceChange {
  readonly topic: string
  readonly channel: string
  /** Null removes the choice, so that wider ones or the topic's kind decide. */
  readonly state: PreferenceState | null
  /** With the state `on`; null removes it, and without one it stays as it is. */
  readonly frequency?: PreferenceFrequency | null
}

/** A choice of the user. */
export interface PreferenceRule {
  readonly topic: string
  readonly channel: string
  readonly state: PreferenceState
  /** Null: as the event says. */
  readonly frequency: PreferenceFrequency | null
}

/** One channel of a topic. */
export interface PreferenceSwitch {
  readonly channel: string
  readonly state: PreferenceState
  /** Whether a wider `off` decides. */
  readonly overridden: boolean
  /** Whether messages are put together in digests, so that a frequency has an effect. */
  readonly digests: boolean
  /** That of the narrowest choice; null: as the event says. */
  readonly frequency: PreferenceFrequency | null
}

/** What the user may switch. */
export interface PreferenceTopic {
  readonly topic_key: string
  readonly name: string
  readonly description: string
  /** `required`: always sent. Otherwise what happens without a choice. */
  readonly kind: 'required' | 'on' | 'off'
  readonly channels: readonly PreferenceSwitch[]
}

/** Preferences as `GET /api/v1/preferences` returns them. */
export interface Preferences {
  readonly topics: readonly PreferenceTopic[]
  readonly rules: readonly PreferenceRule[]
}

export const all = '*'

/**
 * The preferences as they will be when the server has made the changes; applying them twice changes nothing. What no change is about
 * stays: a choice for an address of the user, which is not among the rules, may decide it.
 */
export function applyPreferences({ topics, rules }: Preferences, changes: readonly PreferenceChange[]): Preferences {
  let chosen = rules
  for (const { topic, channel, state, frequency } of changes) {
    const isSame = (rule: PreferenceRule) => rule.topic === topic && rule.channel === channel
    const kept = chosen.find(isSame)?.frequency ?? null
    chosen = chosen.filter((rule) => !isSame(rule))
    if (state) chosen = [...chosen, { topic, channel, state, frequency: frequency === undefined ? kept : frequency }]
  }
  return {
    rules: chosen,
    topics: topics.map((topic) => ({
      ...topic,
      channels: topic.channels.map((known) => {
        const { channel, digests } = known
        if (applyingTo(topic, channel, changes).length === 0) return known
        const applying = applyingTo(topic, channel, chosen)
        return { channel, digests, ...decide(topic, applying), frequency: frequencyOf(topic, applying) }
      }),
    })),
  }
}

/** Whether a frequency of a topic and channel can be removed: no wider choice of the user has another one. */
export const isRemovable = (topic: PreferenceTopic, channel: string, rules: readonly PreferenceRule[]): boolean =>
  !applyingTo(topic, channel, rules).some(
    (rule) => rule.state === 'on' && rule.frequency !== null && (rule.topic === all || rule.channel === all),
  )

const applyingTo = <R extends PreferenceChange>({ topic_key }: PreferenceTopic, channel: string, rules: readonly R[]) =>
  rules.filter((rule) => [all, topic_key].includes(rule.topic) && [all, channel].includes(rule.channel))

/** That of the narrowest choice: one for the topic before one for every topic, then one for the channel. */
function frequencyOf({ kind }: PreferenceTopic, applying: readonly PreferenceRule[]): PreferenceFrequency | null {
  if (kind === 'required') return null
  const widthOf = ({ topic, channel }: PreferenceRule) => Number(topic === all) * 2 + Number(channel === all)
  const [narrowest] = applying
    .filter(({ state, frequency }) => state === 'on' && frequency !== null)
    .sort((a, b) => widthOf(a) - widthOf(b))
  return narrowest?.frequency ?? null
}

const isWider = ({ topic, channel }: PreferenceRule) => topic === all || channel === all

/** The precedence of docs/preferences.md, without what only the server knows. */
function decide({ topic_key, kind }: PreferenceTopic, applying: readonly PreferenceRule[]) {
  const stops = applying.filter(({ state }) => state === 'off')
  if (kind === 'required') return { state: 'on', overridden: false } as const
  if (stops.length > 0) return { state: 'off', overridden: stops.some(isWider) } as const
  const isOn = applying.some(({ topic, state }) => topic === topic_key && state === 'on')
  return { state: isOn ? 'on' : kind, overridden: false } as const
}

/** Whether a wide choice, for every topic or every channel, is `off`. */
export function isWideOff({ rules }: Preferences, topic: string, channel: string): boolean {
  return rules.some((rule) => rule.topic === topic && rule.channel === channel && rule.state === 'off')
}

/** Whether everything is off for a channel: by the user's choice, or by one for the address, which a link in an email makes. */
export function isChannelOff({ topics, rules }: Preferences, channel: string): boolean {
  if (isWideOff({ topics, rules }, all, channel)) return true
  const switched = topics.filter((topic) => topic.kind !== 'required' && overriddenOn(topic, channel) !== undefined)
  const isByUser = (topic: PreferenceTopic) =>
    applyingTo(topic, channel, rules).some((rule) => rule.state === 'off' && isWider(rule))
  return switched.every((topic) => overriddenOn(topic, channel)) && !switched.every(isByUser)
}

const overriddenOn = ({ channels }: PreferenceTopic, channel: string) =>
  channels.find((one) => one.channel === channel)?.overridden
