import { plainText } from './plain-text.ts'

const longest = 500
/** Only this part of a sentence is searched. */
const mostRead = 2 * longest

/**
 * Removes phone numbers ("The number +1555… is unverified") from a carrier's sentence, so that it can be stored and published:
 * one line of at most 500 storable characters.
 */
export function withoutNumbers(sentence: string): string {
  const masked = plainText(sentence, mostRead).replace(/\+?\d[\d\s().-]{5,30}\d/g, '[number]')
  return plainText(masked, longest)
}
