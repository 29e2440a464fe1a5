import { randomBytes } from 'node:crypto'

/** An id as the Cloud API names messages. */
export function messageId(): string {
  return `wamid.${randomBytes(24).toString('base64')}`
}
