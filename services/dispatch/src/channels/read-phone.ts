import { type DispatchRequest, e164Fault, e164Pattern } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'

/** @throws Problem `invalid_recipient` for what is not E.164 */
export function readPhone({ recipient }: Pick<DispatchRequest, 'recipient'>): string {
  const phone = typeof recipient === 'string' ? recipient : recipient.phone
  if (typeof phone === 'string' && e164Pattern.test(phone)) return phone
  const path = typeof recipient === 'string' ? 'recipient' : 'recipient.phone'
  const message = phone === undefined ? 'is missing' : e164Fault
  throw fieldProblem('invalid_recipient', path, message)
}
