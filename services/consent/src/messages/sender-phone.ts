import { e164Pattern } from '@notify/contracts'

/** The number of who wrote, as the ledger knows it: carriers leave out the plus sign. Undefined when it is none. */
export function phoneOf(from: string): string | undefined {
  const phone = from.startsWith('+') ? from : `+${from}`
  return e164Pattern.test(phone) ? phone : undefined
}
