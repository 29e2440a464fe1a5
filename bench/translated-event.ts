import { mintOperatorToken, type Stack } from '@notify/dev-env'

/** What a request needs beside a recipient and `data` to get one of the translations. */
export const translatedFields = { event_key: 'order.translated', locale: 'de-AT' }

/** Adds the demo's event with translations into ten languages. */
export async function addTranslatedEvent(stack: Stack): Promise<void> {
  const { application_id, operator } = stack.state
  const token = await mintOperatorToken(stack.url('identity-provider'), operator)
  const locales = ['de', 'fr', 'es', 'pt', 'pl', 'ar', 'hi', 'zh', 'ja', 'it']
  const sms = (greeting: string) => ({ sms: { body: `${greeting} {{name}}, {{order}}.` } })
  const event = {
    ...{ event_key: translatedFields.event_key, name: 'Order shipped', status: 'published', allowed_channels: ['sms'] },
    templates: sms('Hi'),
    translations: Object.fromEntries(locales.map((locale) => [locale, sms(locale)])),
  }
  const answer = await fetch(`${stack.url('gateway')}/api/v1/applications/${application_id}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(event),
  })
  if (answer.status !== 201) throw new Error(`the translated event was answered ${answer.status}`)
}
