import type { Topic } from '../../api/topics.ts'
import type { Channel } from '../../channels/channel.ts'
import { channels } from '../../channels/table.ts'
import type { Named } from '../../edits/compare-texts.ts'
import { languageName } from '../../ui/language-name.ts'
import { numberOf } from '../../ui/number-text.ts'
import type { TopicContent } from './queries.ts'

/** The words of a topic in another language. */
export interface TranslationForm {
  locale: string
  name: string
  description: string
}

/** The form of a topic. */
export interface TopicForm {
  name: string
  description: string
  kind: Topic['kind']
  channels: Channel[]
  position: string
  translations: TranslationForm[]
}

export const emptyForm: TopicForm = {
  name: '',
  description: '',
  kind: 'on',
  channels: ['email'],
  position: '0',
  translations: [],
}

export function formOf({ name, description, kind, channels: some, position, translations }: Topic): TopicForm {
  const sorted = Object.entries(translations).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    ...{ name, description, kind, position: String(position) },
    channels: channels.filter((channel) => some.includes(channel)),
    translations: sorted.map(([locale, words]) => ({ locale, name: words.name, description: words.description })),
  }
}

/** The request of a form. */
export function contentOf({ position, translations, ...form }: TopicForm): TopicContent {
  const translated = translations.map(({ locale, ...words }) => [locale, words])
  return { ...form, position: numberOf(position), translations: Object.fromEntries(translated) }
}

/** Every field with its label. */
export const textsOf = ({ name, description, kind, channels: some, position, translations }: TopicForm): Named[] => [
  ['Name', name],
  ['Description', description],
  ['Kind', kind],
  ['Channels', some.join('\n')],
  ['Position', position],
  ...translations.flatMap(({ locale, ...words }): Named[] => [
    [`${languageName(locale)}: name`, words.name],
    [`${languageName(locale)}: description`, words.description],
  ]),
]
