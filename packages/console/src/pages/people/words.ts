import type { components } from '@notify/sdk'
import { channelNames, isChannel } from '../../channels/table.ts'

export type Preferences = components['schemas']['Preferences']
export type Rule = components['schemas']['PreferenceRule']
export type PreferenceEntry = components['schemas']['PreferenceEntry']
export type Explanation = components['schemas']['PreferenceExplanation']
export type Considered = Explanation['considered'][number]

/** What a person is found by. */
export type NameKind = 'user' | 'address'

/** A user id or an address in one application, as its token. */
export interface Person {
  applicationId: string
  of: NameKind
  token: string
}

/** Through what a choice was made. */
export const sources: Record<Rule['source'], string> = {
  page: 'Page of preferences',
  one_click: 'Unsubscribe button of a mail program',
  api: 'API',
  operator: 'Operator',
  import: 'Import',
  keyword: 'Word in an answer',
}

export const checks: Record<Considered['check'], string> = {
  suppression: 'Suppression',
  consent: 'WhatsApp consent',
  topic: 'Topic',
  choice: 'Choice',
  kind: 'Kind of the topic',
}

export const stateName = { on: 'On', off: 'Off' } as const

const channelName = (channel: string) =>
  channel === '*' ? 'every channel' : isChannel(channel) ? channelNames[channel] : channel

/** What a choice is about, such as `newsletter, Email` or `Every topic, every channel`. */
export const scopeOf = ({ topic, channel }: { topic: string; channel: string }) =>
  `${topic === '*' ? 'Every topic' : topic}, ${channelName(channel)}`
