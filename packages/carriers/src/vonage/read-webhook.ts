import { z } from 'zod'
import type { ReceivingAccount, Report } from '../receiver.ts'
import { receiptOf, type StatusReport, textOf } from '../report-of.ts'
import { codeOfType, vonageCodes } from './codes.ts'

const Text = z.string().max(10_000)

/**
 * A status, or a message that a person wrote.
 * @see https://developer.vonage.com/en/messages/concepts/messages-status-callbacks
 */
const Webhook = z.object({
  message_uuid: z.string().min(1).max(200),
  status: z.string().optional(),
  client_ref: Text.optional().catch(undefined),
  error: z
    .object({ type: z.string(), title: z.coerce.string().optional(), detail: z.string().optional() })
    .optional()
    .catch(undefined),
  message_type: z.string().optional(),
  from: Text.optional(),
  to: Text.optional(),
  text: Text.optional(),
})

const statuses: Record<string, StatusReport['status']> = {
  submitted: 'sent',
  delivered: 'delivered',
  rejected: 'undelivered',
  undeliverable: 'undelivered',
}

/** Reads a webhook: a receipt, an inbound message, or nothing. */
export function readWebhook(account: ReceivingAccount, body: unknown): Report[] {
  const webhook = Webhook.safeParse(body).data
  if (!webhook) return []
  const { message_uuid: id, status, client_ref, error, message_type, from, to = '', text } = webhook
  if (status === undefined)
    return message_type === 'text' && from ? [textOf(account, { id, from, to, body: text ?? '' })] : []
  if (!Object.hasOwn(statuses, status)) return []
  const code = error && codeOfType(error.type)
  return [
    receiptOf(account, {
      id,
      travelled: Object.fromEntries(new URLSearchParams(client_ref)),
      status: statuses[status]!,
      code,
      codes: vonageCodes,
      said: error?.detail ?? error?.title,
    }),
  ]
}
