import { e164Fault, e164Pattern } from '@notify/contracts'
import { Problem } from '@notify/service-kit'

/** @throws Problem `invalid_recipient` unless it is E.164 */
export function requirePhone(phone: string): void {
  if (e164Pattern.test(phone)) return
  throw new Problem('invalid_recipient', `phone_e164 ${e164Fault}`, {
    errors: [{ path: 'phone_e164', message: e164Fault }],
  })
}
