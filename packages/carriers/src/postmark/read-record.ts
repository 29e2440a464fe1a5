import { z } from 'zod'
import type { ReceiptReport, ReceivingAccount } from '../receiver.ts'
import { receiptOf, type StatusReport } from '../report-of.ts'

const Text = z.string().max(10_000).optional().catch(undefined)

/**
 * @see https://postmarkapp.com/developer/webhooks/bounce-webhook
 * @see https://postmarkapp.com/developer/webhooks/delivery-webhook
 * @see https://postmarkapp.com/developer/webhooks/spam-complaint-webhook
 * @see https://postmarkapp.com/developer/webhooks/subscription-change-webhook
 */
const Webhook = z.object({
  RecordType: z.string(),
  MessageID: z.string().min(1).max(200),
  /** Of a bounce. */
  Type: z
    .string()
    .regex(/^[A-Za-z]{1,64}$/)
    .catch('Unknown'),
  /** Of a bounce or complaint. */
  Email: Text,
  /** Of a delivery, and of a change of a subscription. */
  Recipient: Text,
  SuppressSending: z.boolean().catch(false),
  SuppressionReason: z.string().catch(''),
  Description: Text,
  Details: Text,
  Metadata: z.record(z.string(), z.unknown()).catch({}),
})

type Webhook = z.output<typeof Webhook>

type Verdict = Pick<StatusReport, 'status' | 'code' | 'suppress' | 'retryable'>

const undelivered: Verdict = { status: 'undelivered' }
const bouncedForGood: Verdict = { ...undelivered, suppress: 'bounce' }
const bouncedForNow: Verdict = { ...undelivered, retryable: true }

/** @see https://postmarkapp.com/developer/api/bounce-api#bounce-types */
const bounces: Record<string, Verdict> = {
  HardBounce: bouncedForGood,
  BadEmailAddress: bouncedForGood,
  ManuallyDeactivated: bouncedForGood,
  Unconfirmed: bouncedForGood,
  SpamComplaint: { status: 'complained', suppress: 'complaint' },
  Transient: { status: 'delayed' },
  SoftBounce: bouncedForNow,
  DnsError: bouncedForNow,
  Unknown: bouncedForNow,
  SMTPApiError: bouncedForNow,
  SpamNotification: undelivered,
  Blocked: undelivered,
  DMARCPolicy: undelivered,
  VirusNotification: { status: 'failed' },
  TemplateRenderingFailed: { status: 'failed' },
}

/** Why Postmark no longer writes to a recipient; an unsubscription is a manual suppression. */
const suppressions: Record<string, Verdict> = {
  HardBounce: { ...bouncedForGood, code: 'HardBounce' },
  SpamComplaint: { status: 'complained', code: 'SpamComplaint', suppress: 'complaint' },
  ManualSuppression: { status: 'unsubscribed', code: 'ManualSuppression', suppress: 'stop' },
}

/** Reads a webhook: a receipt, or nothing for records that tell nothing of delivery (opens, automatic replies). */
export function readRecord(account: ReceivingAccount, body: unknown): ReceiptReport[] {
  const webhook = Webhook.safeParse(body).data
  const verdict = webhook && verdictOf(webhook)
  if (!verdict) return []
  const { MessageID: id, Type, Email = webhook.Recipient, Description, Details, Metadata: travelled } = webhook
  const isFailure = verdict.status !== 'delivered'
  return [
    receiptOf(account, {
      id,
      travelled,
      ...(isFailure && { code: Type, said: Details || Description }),
      ...verdict,
      recipients: Email ? [Email] : [],
    }),
  ]
}

function verdictOf({ RecordType, Type, SuppressSending, SuppressionReason }: Webhook): Verdict | undefined {
  switch (RecordType) {
    case 'Delivery':
      return { status: 'delivered' }
    case 'SpamComplaint':
      return bounces.SpamComplaint
    case 'Bounce':
      return Object.hasOwn(bounces, Type) ? bounces[Type] : undefined
    case 'SubscriptionChange':
      // A reactivation lifts nothing here: an operator does.
      return SuppressSending && Object.hasOwn(suppressions, SuppressionReason)
        ? suppressions[SuppressionReason]
        : undefined
    default:
      return undefined
  }
}
