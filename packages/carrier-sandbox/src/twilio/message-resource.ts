import type { LoggedMessage } from '../messages/message-log.ts'
import { countSegments } from './count-segments.ts'

export const apiVersion = '2010-04-01'

/**
 * A message as Twilio's API shows it, every field present.
 * @see https://www.twilio.com/docs/messaging/api/message-resource#message-properties
 */
export function messageResource(message: LoggedMessage) {
  const { From: from, MessagingServiceSid: messagingServiceSid } = message.request.body
  const uri = `/${apiVersion}/Accounts/${message.account}/Messages/${message.provider_message_id}`
  const created = rfc2822(message.received_at)
  const sent = message.sent_at && rfc2822(message.sent_at)
  return {
    account_sid: message.account,
    api_version: apiVersion,
    body: message.text,
    date_created: created,
    date_sent: sent,
    date_updated: sent ?? created,
    direction: 'outbound-api',
    error_code: message.error_code,
    error_message: message.error_code === 30003 ? 'Unreachable destination handset' : null,
    from: from ?? null,
    messaging_service_sid: messagingServiceSid ?? null,
    num_media: '0',
    num_segments: String(countSegments(message.text)),
    price: null,
    price_unit: null,
    sid: message.provider_message_id,
    status: message.status,
    subresource_uris: { media: `${uri}/Media.json` },
    to: message.to,
    uri: `${uri}.json`,
  }
}

function rfc2822(isoTime: string): string {
  return new Date(isoTime).toUTCString().replace('GMT', '+0000')
}
