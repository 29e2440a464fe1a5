import { ReceiptStatus } from '@notify/contracts'
import { z } from 'zod'
import { correlationOfUrl } from '../correlation.ts'
import type { Callback, Claim, Received } from '../receiver.ts'
import { receiptOf } from '../report-of.ts'
import { twilioCodes } from './codes.ts'
import { AccountSid, openSignedForm, Sid, type Signers } from './form.ts'

/** The relevant fields. @see https://www.twilio.com/docs/messaging/guides/track-outbound-message-status */
export const StatusForm = z.object({
  AccountSid,
  MessageSid: Sid,
  MessageStatus: z.string().min(1).max(32),
  ErrorCode: z
    .string()
    .max(16)
    .optional()
    .transform((code) => (code && /^\d+$/.test(code) && code !== '0' ? code : null)),
})

const Recorded = ReceiptStatus.extract(['sent', 'delivered', 'undelivered', 'failed'])

/** Opens a status callback. */
export function openStatus({ publicUrl }: { publicUrl: string }, callback: Callback): Claim {
  return openSignedForm(publicUrl, callback, StatusForm, (fields, signers) => readStatus(fields, signers, callback.url))
}

function readStatus(fields: z.output<typeof StatusForm>, signers: Signers, url: string): Received {
  const correlation = correlationOfUrl(url)
  // Among providers that share the account, the one in the URL; its id alone proves nothing.
  const account = signers.find(({ id }) => id === correlation.provider_id) ?? signers[0]
  const { success, data: status } = Recorded.safeParse(fields.MessageStatus)
  if (!success) return { reports: [], answer: { status: 'ignored' } }
  const report = receiptOf(account, {
    id: fields.MessageSid,
    travelled: { ...correlation },
    status,
    code: fields.ErrorCode,
    codes: twilioCodes,
  })
  return { reports: [report], answer: { status: 'recorded' } }
}
