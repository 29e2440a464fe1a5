import { e164Pattern } from '@notify/contracts'

/** The number of a sender in E.164: carriers leave out the plus sign. Undefined when it is not a number. */
export function phoneOf(from: string): string | undefined {
  const phone = from.startsWith('+') ? from : `+${from}`
  return e164Pattern.test(phone) ? phone : undefined
}
