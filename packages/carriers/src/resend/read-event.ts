import { z } from 'zod'
import type { ReceiptReport, ReceivingAccount } from '../receiver.ts'
import { receiptOf, type StatusReport } from '../report-of.ts'

const Text = z.string().max(10_000).optional().catch(undefined)
const Word = z
  .string()
  .regex(/^[A-Za-z]{1,64}$/)
  .catch('Undetermined')

/** @see https://resend.com/docs/dashboard/webhooks/event-types */
const Event = z.object({
  type: z.string(),
  data: z.object({
    email_id: z.string().min(1).max(200),
    to: z.array(z.string()).catch([]),
    tags: z.record(z.string(), z.unknown()).catch({}),
    bounce: z.object({ message: Text, type: Word, subType: Word }).optional().catch(undefined),
    failed: z.object({ reason: Text }).optional().catch(undefined),
    suppressed: z.object({ message: Text }).optional().catch(undefined),
  }),
})
type Data = z.output<typeof Event>['data']

type Verdict = Pick<StatusReport, 'status' | 'code' | 'said' | 'suppress' | 'retryable'>

const verdicts: Record<string, (data: Data) => Verdict> = {
  'email.sent': () => ({ status: 'sent' }),
  'email.delivered': () => ({ status: 'delivered' }),
  'email.delivery_delayed': () => ({ status: 'delayed', code: 'delivery_delayed' }),
  'email.complained': () => ({ status: 'complained', code: 'complained', suppress: 'complaint' }),
  'email.bounced': ({ bounce }) => {
    const { type = 'Undetermined', subType = 'Undetermined', message: said } = bounce ?? {}
    return {
      status: 'undelivered',
      code: `bounce:${type}:${subType}`,
      said,
      ...(type === 'Permanent' ? { suppress: 'bounce' } : { retryable: true }),
    }
  },
  'email.failed': ({ failed: { reason: said = '' } = {} }) => ({
    status: 'failed',
    code: 'failed',
    said,
    retryable: /quota|rate_limit/.test(said),
  }),
  'email.suppressed': ({ suppressed }) => ({
    status: 'failed',
    code: 'suppressed',
    said: suppressed?.message,
    suppress: 'bounce',
  }),
}

/** Reads a webhook: a receipt, or nothing for events that tell nothing of delivery. */
export function readEvent(account: ReceivingAccount, body: unknown): ReceiptReport[] {
  const event = Event.safeParse(body).data
  if (!event || !Object.hasOwn(verdicts, event.type)) return []
  const { email_id: id, tags: travelled, to: recipients } = event.data
  const verdict = verdicts[event.type]!(event.data)
  // Resend names all recipients of a message and not the one concerned: nobody is suppressed for another's bounce.
  const { suppress: _, ...ofSomebody } = verdict
  const isUnsure = travelled.recipient_tag !== undefined && verdict.suppress !== undefined
  return [receiptOf(account, { id, travelled, recipients, ...(isUnsure ? ofSomebody : verdict) })]
}
