import { z } from 'zod'
import { Channel, EventTemplates } from './channels/table.ts'
import { byLocale } from './locale.ts'

/** Most translations of an event or a stored template. */
export const mostTranslations = 60

/**
 * Translations by locale, each with the whole template of a channel. Sends choose one for each channel: by lookup
 * (RFC 4647, 3.4) for the locale of the request, then for those of the user and the application, then `templates`.
 */
export const EventTranslations = byLocale(EventTemplates).meta({
  description: `Templates by locale, at most ${mostTranslations}. Absent in a request: they stay as they are.`,
})
export type EventTranslations = z.output<typeof EventTranslations>

/** What each translated template was made from, by locale and channel: a digest of the template in `templates`. */
export type TranslationBases = Record<string, Record<string, string>>

/** For routes that save all translations at once: 250,000 characters, of six bytes if they are escaped, beside a usual body. */
export const besideTranslations = {
  maxBodyBytes: 2 * 1024 * 1024,
  exempt: { field: 'translations', bytesOf: translatedBytes },
} as const

/** The bytes of the translations in a body. */
function translatedBytes(body: unknown): number {
  const { translations } = (typeof body === 'object' && body !== null ? body : {}) as { translations?: unknown }
  return translations === undefined ? 0 : Buffer.byteLength(JSON.stringify(translations))
}

/** What a translation lacks. `missing`: the channel is sent in another language. `outdated`: its template has changed since. */
export const TranslationWarning = z.object({
  locale: z.string(),
  channel: Channel,
  warning: z.enum(['missing', 'outdated']),
})
export type TranslationWarning = z.output<typeof TranslationWarning>
