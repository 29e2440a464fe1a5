import { z } from 'zod'
import type { ReceiptReport, ReceivingAccount } from '../receiver.ts'
import { receiptOf, type StatusReport } from '../report-of.ts'

const Text = z.string().max(10_000).optional().catch(undefined)

/** @see https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-structure */
const Webhook = z.object({
  'event-data': z.object({
    event: z.string(),
    severity: Text,
    reason: z
      .string()
      .regex(/^[a-z-]{1,64}$/)
      .optional()
      .catch(undefined),
    reject: z.object({ reason: Text, description: Text }).optional().catch(undefined),
    recipient: Text,
    message: z.object({ headers: z.object({ 'message-id': z.string().min(1).max(500) }) }),
    'user-variables': z.record(z.string(), z.unknown()).catch({}),
    'delivery-status': z
      .object({
        code: z.int().optional().catch(undefined),
        'enhanced-code': Text,
        message: Text,
        description: Text,
      })
      .optional()
      .catch(undefined),
  }),
})
type Event = z.output<typeof Webhook>['event-data']

type Verdict = Pick<StatusReport, 'status' | 'code' | 'said' | 'suppress' | 'retryable'>

const suppressions: Record<string, StatusReport['suppress']> = {
  bounce: 'bounce',
  'suppress-bounce': 'bounce',
  'suppress-complaint': 'complaint',
  'suppress-unsubscribe': 'stop',
}

const verdicts: Record<string, (event: Event) => Verdict> = {
  accepted: () => ({ status: 'sent' }),
  delivered: () => ({ status: 'delivered' }),
  failed: failureOf,
  rejected: ({ reject }) => ({ status: 'failed', code: 'rejected', said: reject?.description ?? reject?.reason }),
  unsubscribed: () => ({ status: 'unsubscribed', code: 'unsubscribed', suppress: 'stop' }),
  complained: () => ({ status: 'complained', code: 'complained', suppress: 'complaint' }),
}

/** Mailgun itself tries a temporary failure again. Its last event has the reason `old`, with either severity. */
function failureOf({ severity, reason = 'generic', 'delivery-status': told = {} }: Event): Verdict {
  const code = told['enhanced-code'] || told.code ? `${reason}:${told['enhanced-code'] || told.code}` : reason
  if (severity === 'temporary' && reason !== 'old') return { status: 'delayed', code }
  const suppress = Object.hasOwn(suppressions, reason) ? suppressions[reason] : undefined
  return {
    status: reason.startsWith('suppress-') ? 'failed' : 'undelivered',
    code,
    said: told.message || told.description,
    ...(suppress ? { suppress } : { retryable: reason === 'old' || reason === 'espblock' }),
  }
}

/** Reads a webhook: a receipt, or nothing for events that tell nothing of delivery (opens, clicks). */
export function readEvent(account: ReceivingAccount, body: unknown): ReceiptReport[] {
  const event = Webhook.safeParse(body).data?.['event-data']
  if (!event || !Object.hasOwn(verdicts, event.event)) return []
  return [
    receiptOf(account, {
      id: event.message.headers['message-id'],
      travelled: event['user-variables'],
      recipients: event.recipient ? [event.recipient] : [],
      ...verdicts[event.event]!(event),
    }),
  ]
}
