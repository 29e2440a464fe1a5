import { z } from 'zod'
import { isTimeZone } from './time-zone.ts'

/** @returns undefined for a text that is no locale */
function canonicalLocale(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

const LanguageTag = z
  .string()
  .max(35, { error: 'must have at most 35 characters', abort: true })
  .refine((text) => canonicalLocale(text) !== undefined, {
    error: 'must be a BCP 47 language tag such as de or pt-BR',
    abort: true,
  })

/** A BCP 47 locale in its canonical form: `pt-br` becomes `pt-BR`. */
export const Locale = LanguageTag.overwrite((text) => canonicalLocale(text) ?? text).meta({ example: 'pt-BR' })

/** Values by canonical locale. A locale that is written twice is refused: one of its values would be lost. */
export const byLocale = <T extends z.ZodType>(value: T) =>
  z
    .record(LanguageTag.meta({ example: 'pt-BR' }), value)
    .superRefine((given, issues) => {
      const seen = new Set<string | undefined>()
      for (const locale of Object.keys(given)) {
        const canonical = canonicalLocale(locale)
        if (seen.has(canonical)) issues.addIssue({ code: 'custom', path: [locale], message: `repeats ${canonical}` })
        seen.add(canonical)
      }
    })
    .overwrite(
      (given) =>
        Object.fromEntries(
          Object.entries(given).map(([locale, one]) => [canonicalLocale(locale) ?? locale, one]),
        ) as typeof given,
    )

/** A time zone of the IANA database. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be a time zone of the IANA database such as Europe/Berlin')
  .meta({ example: 'Europe/Berlin' })
