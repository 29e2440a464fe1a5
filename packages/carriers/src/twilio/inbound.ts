import type { ReceivedContent } from '@notify/contracts'
import { z } from 'zod'
import type { Callback, Claim, MessageReport, ReceivingAccount } from '../receiver.ts'
import { AccountSid, openSignedForm, Sid, type SignedForm } from './form.ts'

const maxBodyCharacters = 10_000

/** The relevant fields of an inbound message. @see https://www.twilio.com/docs/messaging/guides/webhook-request */
const InboundForm = z.object({
  AccountSid,
  MessageSid: Sid,
  From: z.string().min(1).max(64),
  To: z.string().min(1).max(64),
  /** Empty for a message with media only. */
  Body: z.string().max(maxBodyCharacters).default(''),
  MessagingServiceSid: Sid.optional(),
  /** Keyword recognised by Advanced Opt-Out: STOP, START or HELP. */
  OptOutType: z.string().max(16).optional(),
})
type InboundForm = z.output<typeof InboundForm>

/** TwiML without a reply: the carrier confirms a STOP itself. */
const noReply = '<Response/>'

/** Opens an inbound SMS. */
export function openInbound({ publicUrl }: { publicUrl: string }, callback: Callback): Claim {
  return openSignedForm(
    publicUrl,
    callback,
    InboundForm,
    (form) => ({
      reports: addressees(form).map((account) => reportOf(account, form.fields)),
      answer: noReply,
    }),
    sendersOf,
  )
}

const sendersOf = ({ To, MessagingServiceSid }: InboundForm): string[] =>
  MessagingServiceSid ? [To, MessagingServiceSid] : [To]

/**
 * The providers addressed: among those that share the account, the ones that send from this number, one per tenant. If
 * none matches, one of each tenant, so that a STOP is never lost.
 */
function addressees({ signers, fields }: SignedForm<InboundForm>): ReceivingAccount[] {
  const addressed = sendersOf(fields)
  const senders = signers.filter(({ sender }) => sender !== null && addressed.includes(sender))
  const found = senders.length > 0 ? senders : signers
  return [...new Map(found.map((account) => [account.tenantId, account])).values()]
}

function reportOf(account: ReceivingAccount, { MessageSid, From, To, Body, OptOutType }: InboundForm): MessageReport {
  const content: ReceivedContent = {
    from: From,
    to: To,
    body: Body,
    ...(OptOutType ? { opt_out_type: OptOutType } : {}),
  }
  return { type: 'message', account, provider_message_id: MessageSid, content }
}
