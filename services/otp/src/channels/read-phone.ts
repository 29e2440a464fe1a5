import { e164Fault, e164Pattern } from '@notify/contracts'
import { maskPhone } from '@notify/privacy'
import { Problem } from '@notify/service-kit'
import type { Recipient } from './code-channel.ts'

export function readPhone(recipient: string): Recipient {
  if (!e164Pattern.test(recipient)) {
    throw new Problem('invalid_recipient', `recipient ${e164Fault}`, {
      errors: [{ path: 'recipient', message: e164Fault }],
    })
  }
  return { text: recipient, masked: maskPhone(recipient) }
}
