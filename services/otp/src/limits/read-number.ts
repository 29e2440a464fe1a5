import { countryCodeOf } from '@notify/contracts'

const prefixDigits = 4
/** As many digits as `maskPhone` hides of every number. */
const hiddenDigits = 3

/** The parts of a number that limits apply to. */
export interface NumberParts {
  /** Country code with its plus sign, `+49`. */
  country: string
  /** Country code and four digits, fewer of a short number, `+491512`: numbers that are rented together begin alike. */
  prefix: string
}

/** @param phone E.164 */
export function readNumber(phone: string): NumberParts {
  const country = countryCodeOf(phone)
  return { country, prefix: phone.slice(0, Math.min(country.length + prefixDigits, phone.length - hiddenDigits)) }
}
