import { createHmac } from 'node:crypto'
import type { Callback } from '../callbacks/callback-sender.ts'
import type { MetaNumber } from './number.ts'

/**
 * A webhook with one change, signed. Meta escapes what is not ASCII, and signs the bytes that it sends.
 * @see https://developers.facebook.com/docs/graph-api/webhooks/getting-started#event-notifications
 */
export function webhook(number: MetaNumber, field: string, value: object): Callback {
  const time = Math.floor(Date.now() / 1000)
  const entry = [{ id: number.business_account_id, time, changes: [{ field, value }] }]
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry }).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return {
    url: number.webhook_url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'facebookexternalua',
      'X-Hub-Signature-256': `sha256=${createHmac('sha256', number.app_secret).update(body).digest('hex')}`,
    },
    body,
  }
}

/** What a change of the field `messages` begins with. */
export function ofNumber({ phone_number_id }: MetaNumber) {
  return {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550783881', phone_number_id },
  }
}

/** A number as Meta writes it: without the plus sign. */
export const waId = (phone: string) => phone.replace(/^\+/, '')
