/** Only this part of a sentence is searched; the part that is stored is shorter. */
const longestSentence = 1000

/** Removes phone numbers ("The number +1555… is unverified") from a carrier's sentence, which is stored and published. */
export function withoutNumbers(sentence: string): string {
  return sentence.slice(0, longestSentence).replace(/\+?\d[\d\s().-]{5,30}\d/g, '[number]')
}
