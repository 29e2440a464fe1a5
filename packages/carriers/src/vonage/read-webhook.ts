import { z } from 'zod'
import { IsoTime } from '../carrier-time.ts'
import type { ReceivingAccount, Report } from '../receiver.ts'
import { receiptOf, type StatusReport, textOf } from '../report-of.ts'
import { codeOfType, vonageCodes } from './codes.ts'

const Text = z.string().max(10_000)

/** A number: a text in format v1, with its type in v0.1. */
const Party = z
  .union([Text, z.object({ number: Text }).transform(({ number }) => number)])
  .optional()
  .catch(undefined)

/**
 * A status, or a message that a person wrote. An application chooses the format of inbound messages: v1 or v0.1.
 * @see https://developer.vonage.com/en/messages/concepts/messages-status-callbacks
 */
const Webhook = z.object({
  message_uuid: z.string().min(1).max(200),
  status: z.string().optional(),
  client_ref: Text.optional().catch(undefined),
  error: z
    .union([
      z.object({ type: z.string(), title: z.coerce.string().optional(), detail: z.string().optional() }),
      z.object({ code: z.coerce.string(), reason: z.string().optional() }).transform(asV1),
    ])
    .optional()
    .catch(undefined),
  message_type: z.string().optional(),
  timestamp: IsoTime,
  from: Party,
  to: Party,
  text: Text.optional(),
  /** The content in format v0.1. */
  message: z
    .object({ content: z.object({ type: z.string(), text: Text.optional() }) })
    .optional()
    .catch(undefined),
})

function asV1({ code: type, reason: detail }: { code: string; reason?: string | undefined }) {
  return { type, title: undefined, detail }
}

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
  const { message_uuid: id, status, client_ref, error, timestamp: at, from, to = '' } = webhook
  if (status === undefined) {
    const { type, text } = webhook.message?.content ?? { type: webhook.message_type, text: webhook.text }
    return type === 'text' && from ? [textOf(account, { id, from, to, body: text ?? '', at })] : []
  }
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
