import type { Channel, Templates } from '../channels/channel.ts'
import { pretty } from '../channels/json-text.ts'
import { channelNames, channelPages, channels, namesOf } from '../channels/table.ts'
import { compareTexts, type Difference, type Named } from '../edits/compare-texts.ts'
import { languageName } from '../ui/language-name.ts'
import type { Translations } from './translations.ts'

/** The content of an event or of a stored template. */
export interface Templated {
  name: string
  /** For a stored template: the name of the application that may use it. */
  application?: string
  allowed_channels?: readonly Channel[]
  topic?: string | null
  digest?: object | null
  templates: Templates
  translations?: Translations
}

/** The texts that differ between two contents; `before` is undefined when there is none. */
export function compare(before: Templated | undefined, after: Templated): Difference[] {
  return compareTexts(before ? textsOf(before) : [], textsOf(after))
}

/** Every text of a content with its name, in the order of the editor. */
export function textsOf({
  name,
  application,
  topic,
  digest,
  allowed_channels,
  templates,
  translations = {},
}: Templated): Named[] {
  return [
    ['Name', name],
    ...(application === undefined ? [] : [['Application', application] as Named]),
    ...(topic ? [['Topic', topic] as Named] : []),
    ...(digest ? [['Digest', pretty(digest)] as Named] : []),
    ...(allowed_channels ? [['Channels', namesOf(allowed_channels)] as Named] : []),
    ...namedTexts(templates),
    ...Object.entries(translations)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([locale, translated]) =>
        namedTexts(translated).map(([label, text]): Named => [`${label}, ${languageName(locale)}`, text]),
      ),
  ]
}

const namedTexts = (templates: Templates): Named[] =>
  channels.flatMap((channel) => (templates[channel] ? partsOf(channel, templates[channel]) : []))

/** The texts of a template, each with its channel and name: `SMS text`. */
export function partsOf(channel: Channel, template: unknown): Named[] {
  return Object.entries(channelPages[channel].partsOf(template))
    .filter(([, value]) => value !== undefined)
    .map(([part, value]) => [`${channelNames[channel]} ${part}`, typeof value === 'string' ? value : pretty(value)])
}
