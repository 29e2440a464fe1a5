import { z } from 'zod'
import { IsoTime } from '../carrier-time.ts'
import type { Correlation } from '../correlation.ts'
import type { ReceivingAccount, Report } from '../receiver.ts'
import { receiptOf, type StatusReport, textOf } from '../report-of.ts'
import { telnyxCodes } from './codes.ts'

const Id = z.string().min(1).max(200)

/** @see https://developers.telnyx.com/api-reference/callbacks/delivery-update */
const Event = z.object({
  data: z.object({
    event_type: z.string(),
    occurred_at: IsoTime,
    payload: z.object({
      id: Id,
      from: z.object({ phone_number: z.string().min(1).max(64) }),
      to: z.array(z.object({ phone_number: z.string().min(1).max(64), status: z.string().optional() })).min(1),
      text: z.string().nullish(),
      errors: z
        .array(z.object({ code: z.coerce.string(), title: z.string().optional(), detail: z.string().optional() }))
        .nullish()
        .catch(undefined),
    }),
  }),
})

const statuses: Record<string, StatusReport['status']> = {
  sent: 'sent',
  delivered: 'delivered',
  sending_failed: 'failed',
  delivery_failed: 'undelivered',
  // The carrier of the recipient reports nothing.
  delivery_unconfirmed: 'sent',
  expired: 'undelivered',
}

/**
 * Reads a webhook: a receipt, an inbound message, or nothing.
 * @param correlation of the address that it came to
 */
export function readEvent(account: ReceivingAccount, body: unknown, correlation: Correlation): Report[] {
  const event = Event.safeParse(body).data?.data
  if (!event) return []
  const { id, from, to, text, errors } = event.payload
  const [{ phone_number, status = '' }] = to as [(typeof to)[0]]
  if (event.event_type === 'message.received')
    return [textOf(account, { id, from: from.phone_number, to: phone_number, body: text ?? '', at: event.occurred_at })]
  if (!Object.hasOwn(statuses, status)) return []
  const [error] = errors ?? []
  return [
    receiptOf(account, {
      id,
      travelled: correlation,
      status: statuses[status]!,
      code: error?.code ?? (status === 'expired' ? status : null),
      codes: telnyxCodes,
      said: error?.detail ?? error?.title,
    }),
  ]
}
