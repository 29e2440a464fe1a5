import type { Channel, EventTemplates, TranslationWarning } from '@notify/contracts'
import type { KeptTranslations } from '../../db/event-tables.ts'
import { digestOf, entriesOf } from './keep-translations.ts'

interface Translated extends KeptTranslations {
  templates: EventTemplates
}

/** The channels of a translation whose templates have changed since it was made. */
export function outdatedChannels(
  { templates, translations, translation_bases }: Translated,
  locale: string,
): Channel[] {
  const bases = translation_bases?.[locale] ?? {}
  return entriesOf(translations?.[locale] ?? {})
    .map(([channel]) => channel)
    .filter((channel) => bases[channel] !== undefined && bases[channel] !== digestOf(templates[channel]))
}

/** The channels that a translation lacks: they are sent in another language. */
export function missingChannels({ templates, translations }: Translated, locale: string): Channel[] {
  const translated = translations?.[locale] ?? {}
  return entriesOf(templates)
    .map(([channel]) => channel)
    .filter((channel) => translated[channel] === undefined)
}

/** What publishing tells of translations; nothing of it keeps them from being sent. */
export function warningsOf(content: Translated): TranslationWarning[] {
  return Object.keys(content.translations ?? {}).flatMap((locale) => [
    ...missingChannels(content, locale).map((channel) => ({ locale, channel, warning: 'missing' as const })),
    ...outdatedChannels(content, locale).map((channel) => ({ locale, channel, warning: 'outdated' as const })),
  ])
}
