import { z } from 'zod'
import type { ReceiptReport, ReceivingAccount } from '../receiver.ts'
import { receiptOf, type StatusReport } from '../report-of.ts'

const Text = z.string().max(10_000).optional().catch(undefined)

/**
 * @see https://postmarkapp.com/developer/webhooks/bounce-webhook
 * @see https://postmarkapp.com/developer/webhooks/delivery-webhook
 * @see https://postmarkapp.com/developer/webhooks/spam-complaint-webhook
 */
const Webhook = z.object({
  RecordType: z.string(),
  MessageID: z.string().min(1).max(200),
  /** Of a bounce. */
  Type: z
    .string()
    .regex(/^[A-Za-z]{1,64}$/)
    .catch('Unknown'),
  Email: Text,
  Description: Text,
  Details: Text,
  Metadata: z.record(z.string(), z.unknown()).catch({}),
})

type Verdict = Pick<StatusReport, 'status' | 'suppress' | 'retryable'>

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

/** Reads a webhook: a receipt, or nothing for records that tell nothing of delivery (opens, automatic replies). */
export function readRecord(account: ReceivingAccount, body: unknown): ReceiptReport[] {
  const webhook = Webhook.safeParse(body).data
  const verdict = webhook && verdictOf(webhook.RecordType, webhook.Type)
  if (!verdict) return []
  const { MessageID: id, Type, Email, Description, Details, Metadata: travelled } = webhook
  const isFailure = verdict.status !== 'delivered'
  return [
    receiptOf(account, {
      id,
      travelled,
      ...verdict,
      ...(isFailure && { code: Type, said: Details || Description }),
      recipients: Email ? [Email] : [],
    }),
  ]
}

function verdictOf(record: string, type: string): Verdict | undefined {
  if (record === 'Delivery') return { status: 'delivered' }
  if (record === 'SpamComplaint') return bounces.SpamComplaint
  return record === 'Bounce' && Object.hasOwn(bounces, type) ? bounces[type] : undefined
}
