import { answer, api } from './client.ts'
import { withNewKey } from './unanswered-writes.ts'

/** The token of a recipient, by POST: neither an address nor a log gets the number. */
export const tokenOf = async (recipient: string): Promise<string> =>
  (await answer(api.POST('/api/v1/recipients/lookup', { body: { recipient }, headers: withNewKey() }))).recipient_token

/** Lists of contacts put marks without a width around a number, and links begin with a scheme. */
const withoutMarks = (text: string): string =>
  text
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .replace(/^tel:\s*/i, '')

/** Whether a text is a number or an email address, and no user id. */
export function isAddress(text: string): boolean {
  const plain = withoutMarks(text)
  return /^\+?[\d\s()./\p{Pd}]{7,25}$/u.test(plain) || /^[^\s@]+@[^\s@]+$/.test(plain)
}

/** Whether a text may become a number or an email address. */
export const mayBecomeAddress = (text: string): boolean =>
  text.includes('@') || /^\+?[\d\s()./\p{Pd}]*$/u.test(withoutMarks(text))

/** An address in the form of the API: a number without the characters that group its digits. */
export function addressOf(text: string): string {
  const plain = withoutMarks(text)
  return plain.includes('@') ? plain : plain.replaceAll(/[\s()./\p{Pd}]/gu, '')
}

/** A recipient in the form of the API. Without + a number may be a user id, which stays as it is. */
export const recipientOf = (text: string): string => (/^\+|@/.test(withoutMarks(text)) ? addressOf(text) : text)
