import { type smsStatusCallback as contract, type Receipt, ReceiptStatus, receiptReceived } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { callbackOf } from '../records/callback-store.ts'
import { readSignedForm, Sid } from '../twilio/read-signed-form.ts'
import { correlated, correlationOfUrl } from './read-correlation.ts'

/** The fields of a status callback that count. @see https://www.twilio.com/docs/messaging/guides/track-outbound-message-status */
export const StatusForm = z.object({
  AccountSid: Sid,
  MessageSid: Sid,
  MessageStatus: z.string().min(1).max(32),
  ErrorCode: z
    .string()
    .max(16)
    .optional()
    .transform((code) => (code && /^\d+$/.test(code) && code !== '0' ? code : null)),
})

const Recorded = ReceiptStatus.extract(['sent', 'delivered', 'undelivered', 'failed'])

/** "Attempt to send to unsubscribed recipient": who said STOP to the carrier said it to us. */
const unsubscribed = '21610'

/** Takes the SMS provider's status callbacks: verified, recorded once, answered 200 however often they come. */
export const receiveSmsStatus: Handler<Context, typeof contract> = async (context, request) => {
  const { url, span } = request
  const { fields, signers } = await readSignedForm(context, request, StatusForm)
  const correlation = correlationOfUrl(url)
  // Of several that share the account the one that the address names; the name by itself proves nothing.
  const provider = signers.find(({ id }) => id === correlation.provider_id) ?? signers[0]
  const status = Recorded.safeParse(fields.MessageStatus)
  if (!status.success) {
    context.metrics.received('sms', 'ignored')
    return { status: 'ignored' }
  }
  const receipt: Receipt = {
    channel: 'sms',
    provider_id: provider.id,
    provider_message_id: fields.MessageSid,
    ...correlated(correlation),
    status: status.data,
    error_code: fields.ErrorCode,
    ...(fields.ErrorCode === unsubscribed ? { suppress: 'stop' } : {}),
    received_at: new Date().toISOString(),
  }
  span.set({
    'receipt.status': receipt.status,
    ...(receipt.notification_id ? { 'notification.id': receipt.notification_id } : {}),
  })
  const isNew = await context.record(callbackOf(receipt, receiptReceived, receipt, span.traceparent))
  context.metrics.received('sms', isNew ? 'recorded' : 'repeated')
  return { status: 'recorded' }
}
