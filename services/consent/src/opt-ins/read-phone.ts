import { e164Pattern } from '@notify/contracts'
import { Problem } from '@notify/service-kit'

/** @throws Problem `invalid_recipient` for what is not E.164 */
export function requirePhone(phone: string): void {
  if (e164Pattern.test(phone)) return
  const message = 'must be E.164: a plus sign, country code, 7 to 15 digits, no spaces or dashes'
  throw new Problem('invalid_recipient', `phone_e164 ${message}`, { errors: [{ path: 'phone_e164', message }] })
}
