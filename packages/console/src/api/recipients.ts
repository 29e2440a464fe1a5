import { answer, api } from './client.ts'
import { withNewKey } from './unanswered-writes.ts'

/** The token of a recipient, by POST: neither an address nor a log gets the number. */
export const tokenOf = async (recipient: string): Promise<string> =>
  (await answer(api.POST('/api/v1/recipients/lookup', { body: { recipient }, headers: withNewKey() }))).recipient_token

/** Whether a text is a number or an email address, and no user id. */
export const isAddress = (text: string): boolean => /^\+?[\d\s().-]{7,25}$/.test(text) || /^[^\s@]+@[^\s@]+$/.test(text)

/** An address in the form of the API: a number without the characters that group its digits. */
export const addressOf = (text: string): string => (text.includes('@') ? text : text.replaceAll(/[\s().-]/g, ''))
