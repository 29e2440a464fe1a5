import { ReceiptStatus } from '@notify/contracts'
import { z } from 'zod'
import { correlationOfUrl } from '../correlation.ts'
import type { Callback, Claim, Received, ReceivingAccount } from '../receiver.ts'
import { receiptOf } from '../report-of.ts'
import { twilioCodes } from './codes.ts'
import { AccountSid, openSignedForm, Sid, type SignedForm } from './form.ts'

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

type SignedStatus = SignedForm<z.output<typeof StatusForm>>

const Recorded = ReceiptStatus.extract(['sent', 'delivered', 'undelivered', 'failed'])

/** Opens a status callback. */
export function openStatus({ publicUrl }: { publicUrl: string }, callback: Callback): Claim {
  return openSignedForm(publicUrl, callback, StatusForm, (form) => readStatus(form, callback.url))
}

async function readStatus(form: SignedStatus, url: string): Promise<Received> {
  const { fields } = form
  const { success, data: status } = Recorded.safeParse(fields.MessageStatus)
  if (!success) return { reports: [], answer: { status: 'ignored' } }
  const correlation = correlationOfUrl(url)
  const report = receiptOf(await senderOf(form, correlation.provider_id), {
    id: fields.MessageSid,
    travelled: { ...correlation },
    status,
    code: fields.ErrorCode,
    codes: twilioCodes,
  })
  return { reports: [report], answer: { status: 'recorded' } }
}

/** Among providers that share the account, the one in the URL or another of its tenant; its id alone proves nothing. */
async function senderOf(
  { fields, signers, hasSigned, find }: SignedStatus,
  providerId: ReceivingAccount['id'] | undefined,
): Promise<ReceivingAccount> {
  const signer = signers.find(({ id }) => id === providerId)
  if (signer || !providerId) return signer ?? signers[0]
  // Its tenant has replaced it, so that it is not among the accounts.
  const [named] = (await find?.({ providerId })) ?? []
  if (named?.accountId === fields.AccountSid && hasSigned(named)) return named
  return signers.find(({ tenantId }) => tenantId === named?.tenantId) ?? signers[0]
}
