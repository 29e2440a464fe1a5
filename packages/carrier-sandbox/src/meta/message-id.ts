import { randomBytes } from 'node:crypto'
import { waId } from './webhook.ts'

/** An id as the Cloud API names messages: the other side's number stands in it, legibly for whoever decodes it. */
export function messageId(phone: string): string {
  const number = Buffer.from(`\x1c\x18${waId(phone)}\x15`)
  return `wamid.${Buffer.concat([number, randomBytes(15)]).toString('base64')}`
}
