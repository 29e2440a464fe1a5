/** Country codes of one and two digits (ITU-T E.164, list of assigned codes); all others have three. */
const shortCodes = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/
const prefixDigits = 4

/** The parts of a number that limits apply to. */
export interface NumberParts {
  /** Country code with its plus sign, `+49`. */
  country: string
  /** Country code and four digits, `+491512`: numbers that are rented together begin alike. */
  prefix: string
}

/** @param phone E.164 */
export function readNumber(phone: string): NumberParts {
  const country = shortCodes.exec(phone)?.[0] ?? phone.slice(0, 4)
  return { country, prefix: phone.slice(0, country.length + prefixDigits) }
}
