import type { components } from '@notify/sdk'
import { channelNames, isChannel } from '../../channels/table.ts'
import type { Mode } from '../../ui/mode.ts'

export type Preferences = components['schemas']['RecipientPreferences']
export type Rule = Preferences['rules'][number]
export type PersonName = Preferences['names'][number]
export type PreferenceEntry = components['schemas']['PreferenceEntry']
export type Explanation = components['schemas']['PreferenceExplanation']
export type Considered = Explanation['considered'][number]

/** What a person is found by. */
export type NameKind = 'user' | 'address'

/** A user id or an address in one application, as its token. Live and test keys know people of their own. */
export interface Person {
  applicationId: string
  of: NameKind
  token: string
  mode: Mode
}

export const nameKinds: Record<PersonName['of'], string> = { user: 'User id', email: 'Email', phone: 'Number' }

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

export const frequencyNames: Record<NonNullable<Rule['frequency']>, string> = {
  instant: 'each at once',
  hourly: 'every hour',
  daily: 'every day',
  weekly: 'every week',
}

/** A state with the frequency of digests, where one is chosen. */
export const stateWith = (state: Rule['state'], frequency: Rule['frequency']) =>
  frequency === null ? stateName[state] : `${stateName[state]}, ${frequencyNames[frequency]}`

export const stateName = { on: 'On', off: 'Off' } as const

const channelName = (channel: string) =>
  channel === '*' ? 'every channel' : isChannel(channel) ? channelNames[channel] : channel

/** What a choice is about, such as `newsletter, Email` or `Every topic, every channel`. */
export const scopeOf = ({ topic, channel }: { topic: string; channel: string }) =>
  `${topic === '*' ? 'Every topic' : topic}, ${channelName(channel)}`

/** A title with the masked name it is about, where a person has several. */
export const titleFor = (title: string, of: string | undefined) => (of === undefined ? title : `${title}: ${of}`)
