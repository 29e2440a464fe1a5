import type { EventTemplates, TranslationBases, TranslationCoverage, TranslationFile } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Channels } from '../../channels/channel.ts'
import type { KeptTranslations } from '../../db/event-tables.ts'
import { requireFillableTranslations, requireKnownVariables } from './check-translations.ts'
import { flatten, unflatten } from './flat-texts.ts'
import { digestsOf, entriesOf, keepTranslations } from './keep-translations.ts'
import { missingChannels, outdatedChannels } from './translation-state.ts'

/** The content of an event or a stored template, with its translations. */
export interface Translated extends KeptTranslations {
  templates: EventTemplates
}

type Digests = Record<string, string>

/** The digest of each channel in one text, which callers keep without reading it. */
const joined = (digests: Digests) =>
  Object.entries(digests)
    .map((entry) => entry.join(':'))
    .sort()
    .join(',')

const split = (text: string): Digests =>
  Object.fromEntries(text.split(',').flatMap((part) => (part.includes(':') ? [part.split(':', 2)] : [])))

/** The texts of the templates, and how far each language has got. */
export function coverageOf(channels: Channels, content: Translated): TranslationCoverage {
  const { templates, translations } = content
  return {
    based_on: joined(digestsOf(templates)),
    texts: flatten(channels, templates, false),
    translations: Object.entries(translations ?? {})
      .map(([locale, translated]) => ({
        locale,
        channels: entriesOf(translated).map(([channel]) => channel),
        missing_channels: missingChannels(content, locale),
        outdated_channels: outdatedChannels(content, locale),
      }))
      .sort((a, b) => (a.locale < b.locale ? -1 : 1)),
  }
}

/** @throws Problem `not_found` for a language without a translation */
export function fileOf(
  channels: Channels,
  { translations, translation_bases }: Translated,
  locale: string,
): TranslationFile {
  const translated = translations?.[locale]
  if (!translated) throw new Problem('not_found', `There is no translation into ${locale}`)
  return { based_on: joined(translation_bases?.[locale] ?? {}), texts: flatten(channels, translated, true) }
}

/**
 * The translations with one replaced by a translator's file; one without texts is removed.
 * @throws Problem `validation_failed`, `translation_limit_reached`
 */
export function withFile(
  channels: Channels,
  content: Translated,
  locale: string,
  { texts, based_on }: { texts: Record<string, string>; based_on?: string | undefined },
): KeptTranslations {
  const { [locale]: _, ...others } = content.translations ?? {}
  const made = unflatten(channels, content, locale, texts)
  const channelsMade = Object.keys(made)
  const kept = keepTranslations(
    channelsMade.length === 0 ? others : { ...others, [locale]: made },
    content.templates,
    content,
  )
  if (channelsMade.length === 0 || based_on === undefined) return kept
  const read = split(based_on)
  const present = digestsOf(content.templates)
  const bases = Object.fromEntries(channelsMade.map((channel) => [channel, read[channel] ?? present[channel] ?? '']))
  const translation_bases: TranslationBases = { ...kept.translation_bases, [locale]: bases }
  return { ...kept, translation_bases }
}

/** Checks a translator's file before the transaction that saves it. @throws Problem as publishing would */
export async function requireValidFile(
  context: { renderer: Renderer; channels: Channels },
  tenantId: string,
  content: Translated & { digest?: object | null },
  locale: string,
  texts: Record<string, string>,
): Promise<void> {
  const translations = { [locale]: unflatten(context.channels, content, locale, texts) }
  await requireFillableTranslations(context, tenantId, translations)
  await requireKnownVariables(context, tenantId, { ...content, translations })
}
