import { z } from 'zod'
import { IsoTime } from '../carrier-time.ts'
import type { ReceivingAccount, Report } from '../receiver.ts'
import { receiptOf, type StatusReport, textOf } from '../report-of.ts'
import { birdCodes } from './codes.ts'

const Text = z.string().max(10_000)
const Contact = z.object({ identifierValue: Text })

/** @see https://docs.bird.com/api/channels-api/message-status-and-interactions */
const Event = z.object({
  event: z.string(),
  payload: z.object({
    id: z.string().min(1).max(200),
    channelId: z.string(),
    status: z.string(),
    reason: Text.optional().catch(undefined),
    reference: Text.optional().catch(undefined),
    failure: z.object({ code: z.coerce.string() }).optional().catch(undefined),
    createdAt: IsoTime,
    sender: z.object({ contact: Contact }).optional().catch(undefined),
    receiver: z.object({ connector: Contact }).optional().catch(undefined),
    body: z
      .object({ text: z.object({ text: Text }) })
      .optional()
      .catch(undefined),
  }),
})

const statuses: Record<string, StatusReport['status']> = {
  sending_failed: 'failed',
  sent: 'sent',
  delivery_failed: 'undelivered',
  delivered: 'delivered',
}

/** Reads an event: a receipt, an inbound message, or nothing. */
export function readEvent(account: ReceivingAccount, body: unknown): Report[] {
  const { event, payload } = Event.safeParse(body).data ?? {}
  // A subscription of a workspace tells of all its channels.
  if (!payload || payload.channelId !== account.accountId) return []
  const { id, status, reason, reference, failure, createdAt: at, sender, receiver, body: content } = payload
  if (event === 'sms.inbound') {
    const [from, to = ''] = [sender?.contact.identifierValue, receiver?.connector.identifierValue]
    return from ? [textOf(account, { id, from, to, body: content?.text.text ?? '', at })] : []
  }
  if (event !== 'sms.outbound' || !Object.hasOwn(statuses, status)) return []
  return [
    receiptOf(account, {
      id,
      travelled: Object.fromEntries(new URLSearchParams(reference)),
      status: statuses[status]!,
      code: failure?.code,
      codes: birdCodes,
      said: reason,
    }),
  ]
}
