/** More of it is not looked at; what is kept is shorter still. */
const longestSentence = 1000

/** A carrier's sentence without the phone numbers in it ("The number +1555… is unverified"): ours are stored and published. */
export function withoutNumbers(sentence: string): string {
  return sentence.slice(0, longestSentence).replace(/\+?\d[\d\s().-]{5,30}\d/g, '[number]')
}
