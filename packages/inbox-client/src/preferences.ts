/** `on` sends, `off` does not. */
export type PreferenceState = 'on' | 'off'

/** A choice to make for a topic and a channel; `*` stands for all of them. */
export interface PreferenceChange {
  readonly topic: string
  readonly channel: string
  /** Null removes the choice, so that wider ones or the topic's kind decide. */
  readonly state: PreferenceState | null
}

/** A choice of the user. */
export interface PreferenceRule {
  readonly topic: string
  readonly channel: string
  readonly state: PreferenceState
}

/** One channel of a topic. */
export interface PreferenceSwitch {
  readonly channel: string
  readonly state: PreferenceState
  /** Whether a wider `off` decides. */
  readonly overridden: boolean
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

/** The preferences as they will be when the server has made the changes; applying them twice changes nothing. */
export function applyPreferences({ topics, rules }: Preferences, changes: readonly PreferenceChange[]): Preferences {
  let chosen = rules
  for (const { topic, channel, state } of changes) {
    chosen = chosen.filter((rule) => rule.topic !== topic || rule.channel !== channel)
    if (state) chosen = [...chosen, { topic, channel, state }]
  }
  return {
    rules: chosen,
    topics: topics.map((topic) => ({
      ...topic,
      channels: topic.channels.map(({ channel }) => ({ channel, ...decide(topic, channel, chosen) })),
    })),
  }
}

/** The precedence of docs/preferences.md, without what only the server knows. */
function decide({ topic_key, kind }: PreferenceTopic, channel: string, rules: readonly PreferenceRule[]) {
  const applying = rules.filter(
    (rule) => [all, topic_key].includes(rule.topic) && [all, channel].includes(rule.channel),
  )
  const isWider = (rule: PreferenceRule) => rule.topic === all || rule.channel === all
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
