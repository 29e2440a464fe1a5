import { type smsInboundCallback as contract, messageReceived, type ReceivedContent } from '@notify/contracts'
import { sealEvent } from '@notify/messaging'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { SmsProvider } from '../providers/sms-providers.ts'
import { callbackOf } from '../records/callback-store.ts'
import { readSignedForm, Sid } from '../twilio/read-signed-form.ts'

const maxBodyCharacters = 10_000

/** The fields of an inbound message that count. @see https://www.twilio.com/docs/messaging/guides/webhook-request */
const InboundForm = z.object({
  AccountSid: Sid,
  MessageSid: Sid,
  From: z.string().min(1).max(64),
  To: z.string().min(1).max(64),
  /** Empty when only a picture was sent. */
  Body: z.string().max(maxBodyCharacters).default(''),
  MessagingServiceSid: Sid.optional(),
  /** What Advanced Opt-Out recognised: STOP, START or HELP. */
  OptOutType: z.string().max(16).optional(),
})
type InboundForm = z.output<typeof InboundForm>

/** TwiML that replies nothing: the carrier itself confirms a STOP. */
const noReply = '<Response/>'

/** Takes messages that recipients sent by SMS: verified, published once and encrypted, answered without a word. */
export const receiveSms: Handler<Context, typeof contract> = async (context, request) => {
  const { fields, signers } = await readSignedForm(context, request, InboundForm)
  const isNew = await Promise.all(
    addressees(signers, fields).map((provider) =>
      context.record(
        callbackOf(
          { provider_id: provider.id, provider_message_id: fields.MessageSid, status: 'received' },
          messageReceived,
          eventOf(context, provider, fields),
          request.span.traceparent,
        ),
      ),
    ),
  )
  context.metrics.received('sms', isNew.includes(true) ? 'recorded' : 'repeated')
  return noReply
}

/**
 * Whose message it is: of the providers that share an account those that send from the number written to, one for each
 * tenant. Nobody's number: the first one's, so that a STOP is never lost.
 */
function addressees(
  signers: readonly [SmsProvider, ...SmsProvider[]],
  { To, MessagingServiceSid }: InboundForm,
): SmsProvider[] {
  const senders = signers.filter(({ sender }) => sender === To || (sender && sender === MessagingServiceSid))
  const found = senders.length > 0 ? senders : [signers[0]]
  return [...new Map(found.map((provider) => [provider.tenantId, provider])).values()]
}

function eventOf({ keyRing }: Context, { id, tenantId }: SmsProvider, fields: InboundForm) {
  const content: ReceivedContent = {
    from: fields.From,
    to: fields.To,
    body: fields.Body,
    ...(fields.OptOutType ? { opt_out_type: fields.OptOutType } : {}),
  }
  const payload = {
    provider_id: id,
    tenant_id: tenantId,
    channel: 'sms' as const,
    provider_message_id: fields.MessageSid,
    received_at: new Date().toISOString(),
  }
  return sealEvent(keyRing, messageReceived, payload, content)
}
