import { randomBytes } from 'node:crypto'
import { waId } from './webhook.ts'

/** An id in the Cloud API's form: it contains the length of the recipient's number, then the number. */
export function messageId(phone: string): string {
  const number = waId(phone)
  const start = Buffer.from(`\x1c\x18${String.fromCharCode(number.length)}${number}\x15\x02\x00`)
  return `wamid.${Buffer.concat([start, randomBytes(15)]).toString('base64')}`
}
