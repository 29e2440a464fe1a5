import { createHash } from 'node:crypto'
import {
  type Channel,
  type EventTemplates,
  type EventTranslations,
  mostTranslations,
  type TranslationBases,
} from '@notify/contracts'
import { canonicalJson } from '@notify/privacy'
import { Problem } from '@notify/service-kit'
import type { KeptTranslations } from '../../db/event-tables.ts'

export const noTranslations: KeptTranslations = { translations: null, translation_bases: null }

/** Most characters of all translations of one event or stored template as JSON: sends keep them in memory. */
const mostCharacters = 250_000

/** A digest of the template of a channel, independent of key order, which jsonb changes. */
export function digestOf(template: unknown): string {
  return createHash('sha256').update(canonicalJson(template)).digest('base64url').slice(0, 16)
}

/** The channels of a template or translation, each with its template. */
export const entriesOf = (templates: EventTemplates) =>
  Object.entries(templates).filter(
    (entry): entry is [Channel, NonNullable<(typeof entry)[1]>] => entry[1] !== undefined,
  )

/**
 * Translations as they are to be stored. One that changes is made from the new templates; one that stays is still made from what
 * it was made from, so that it shows as outdated when the templates change.
 * @param given of the request; undefined: they stay as they are
 * @throws Problem `translation_limit_reached`
 */
export function keepTranslations(
  given: EventTranslations | undefined,
  templates: EventTemplates,
  known: KeptTranslations,
): KeptTranslations {
  if (given === undefined) return { translations: known.translations, translation_bases: known.translation_bases }
  const locales = Object.keys(given)
  if (locales.length === 0) return noTranslations
  requireTranslationRoom(given)
  const bases: TranslationBases = {}
  for (const [locale, translated] of Object.entries(given)) {
    bases[locale] = Object.fromEntries(
      entriesOf(translated).map(([channel, template]) => {
        const before = known.translations?.[locale]?.[channel]
        const isSame = before !== undefined && digestOf(before) === digestOf(template)
        return [
          channel,
          (isSame ? known.translation_bases?.[locale]?.[channel] : undefined) ?? digestOf(templates[channel]),
        ]
      }),
    )
  }
  return { translations: given, translation_bases: bases }
}

/** @throws Problem `translation_limit_reached` */
export function requireTranslationRoom(translations: Record<string, unknown>): void {
  const count = Object.keys(translations).length
  const fault =
    count > mostTranslations
      ? `has at most ${mostTranslations} translations`
      : JSON.stringify(translations).length > mostCharacters
        ? `has translations of at most ${mostCharacters} characters together`
        : undefined
  if (fault) throw new Problem('translation_limit_reached', `An event, a stored template or a layout ${fault}`)
}

/** The columns of JSON that events, their versions and stored templates share. */
export function jsonOf({
  templates,
  translations,
  translation_bases,
}: KeptTranslations & { templates: EventTemplates }) {
  return {
    templates: JSON.stringify(templates),
    translations: translations && JSON.stringify(translations),
    translation_bases: translation_bases && JSON.stringify(translation_bases),
  }
}

/** Translations as the audit log shows them: digests, because together they may be larger than a message of the bus. */
export function digestsOfAll(translations: EventTranslations): Record<string, Record<string, string>> {
  return Object.fromEntries(Object.entries(translations).map(([locale, translated]) => [locale, digestsOf(translated)]))
}

/** The digest of each channel. */
export const digestsOf = (templates: EventTemplates): Record<string, string> =>
  Object.fromEntries(entriesOf(templates).map(([channel, template]) => [channel, digestOf(template)]))
