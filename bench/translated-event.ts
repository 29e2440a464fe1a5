import type { Stack } from '@notify/dev-env'
import { addToApplication } from './stack-calls.ts'

/** What a request needs beside a recipient and `data` to get one of the translations. */
export const translatedFields = { event_key: 'order.translated', locale: 'de-AT' }

/** Adds the demo's event with translations into ten languages. */
export async function addTranslatedEvent(stack: Stack): Promise<void> {
  const locales = ['de', 'fr', 'es', 'pt', 'pl', 'ar', 'hi', 'zh', 'ja', 'it']
  const sms = (greeting: string) => ({ sms: { body: `${greeting} {{name}}, {{order}}.` } })
  await addToApplication(stack, '/events', {
    ...{ event_key: translatedFields.event_key, name: 'Order shipped', status: 'published', allowed_channels: ['sms'] },
    templates: sms('Hi'),
    translations: Object.fromEntries(locales.map((locale) => [locale, sms(locale)])),
  })
}
