import type { components } from '@notify/sdk'
import type { QueryClient } from '@tanstack/react-query'
import type { Channel, Templates } from '../channels/channel.ts'
import { channelNames, channels, type TemplateForms } from '../channels/table.ts'
import { isSame } from '../edits/rebase.ts'
import type { FormError } from '../edits/use-edits.ts'
import { languageName } from '../ui/language-name.ts'
import { formsOf, templatesOf } from './template-forms.ts'

/** The templates of each language, by locale. */
export type Translations = components['schemas']['Event']['translations']
export type TranslationForms = Record<string, TemplateForms>
/** How far each stored translation has got. */
export type Coverage = components['schemas']['TranslationCoverage']['translations']
export type Warning = components['schemas']['PublishedEvent']['warnings'][number]

/** Translations in the form of the editor, in one order, so that equal ones are equal as text. */
export function translationFormsOf(translations: Translations): TranslationForms {
  const sorted = Object.entries(translations).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([locale, templates]) => [locale, formsOf(templates)]))
}

/** The translations of forms. @param errors receives the errors that prevent saving them */
export function translationsOf(forms: TranslationForms, errors: FormError[]): Translations {
  const made = Object.entries(forms).map(([locale, form]): [string, Templates] => {
    const { templates, errors: found } = templatesOf(form)
    errors.push(...found.map(({ path, message }) => ({ path: path.replace(/^templates/, pathOf(locale)), message })))
    return [locale, templates]
  })
  return Object.fromEntries(made)
}

const pathOf = (locale: string) => `translations.${locale}`

/** The errors of one translation at the paths of templates, which the fields of the channels have. */
export function errorsIn(errors: readonly FormError[], locale: string): FormError[] {
  const start = `${pathOf(locale)}.`
  return errors
    .filter(({ path }) => path.startsWith(start))
    .map(({ path, message }) => ({ path: `templates.${path.slice(start.length)}`, message }))
}

/** @returns the canonical locale; undefined for a text that is none */
export function localeOf(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.trim())[0]
  } catch {
    return undefined
  }
}

/** The languages of an event or a stored template while they are edited. */
export interface Languages {
  base: TemplateForms
  storedBase: TemplateForms
  forms: TranslationForms
  stored: TranslationForms
  coverage: Coverage
}

export type TranslationState = 'translated' | 'outdated' | 'missing'

/** A translation that is edited counts as made from the present text: saving it makes it so. */
export function stateOf(languages: Languages, locale: string, channel: Channel): TranslationState {
  const form = languages.forms[locale]?.[channel]
  if (form === undefined) return 'missing'
  if (!isSame(form, languages.stored[locale]?.[channel])) return 'translated'
  const marked = languages.coverage.find((one) => one.locale === locale)?.outdated_channels.includes(channel)
  return marked || !isSame(languages.base[channel], languages.storedBase[channel]) ? 'outdated' : 'translated'
}

/** Whether the stored translation is marked as outdated: it was made from another original than the stored one. */
export function isMarked({ coverage }: Languages, locale: string): boolean {
  return coverage.some((one) => one.locale === locale && one.outdated_channels.length > 0)
}

/** The original that the page shows, which the operator compared a translation with; later changes of others are not confirmed. */
export function basisOf(client: QueryClient, coverageKey: readonly unknown[]): { based_on?: string } {
  const based_on = client.getQueryData<components['schemas']['TranslationCoverage']>(coverageKey)?.based_on
  return based_on === undefined ? {} : { based_on }
}

/** The state of each channel that has a template. */
export function statesOf(languages: Languages, locale: string): [Channel, TranslationState][] {
  return channels
    .filter((channel) => languages.base[channel])
    .map((channel) => [channel, stateOf(languages, locale, channel)])
}

/** What publishing the stored translations would warn of. */
export function warningsOf(coverage: Coverage): Warning[] {
  return coverage.flatMap(({ locale, missing_channels, outdated_channels }) => [
    ...missing_channels.map((channel) => ({ locale, channel, warning: 'missing' as const })),
    ...outdated_channels.map((channel) => ({ locale, channel, warning: 'outdated' as const })),
  ])
}

/** One text for each language: `Arabic (ar): Email is missing, SMS is outdated`. */
export function warningTexts(warnings: readonly Warning[]): string[] {
  const byLocale = Map.groupBy(warnings, ({ locale }) => locale)
  return [...byLocale].map(([locale, found]) => {
    const gaps = found.map(({ channel, warning }) => `${channelNames[channel]} is ${warning}`)
    return `${languageName(locale)}: ${gaps.join(', ')}`
  })
}
