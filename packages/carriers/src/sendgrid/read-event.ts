import { z } from 'zod'
import type { ReceiptReport, ReceivingAccount } from '../receiver.ts'
import { receiptOf, type StatusReport } from '../report-of.ts'

const Text = z.string().max(10_000).optional().catch(undefined)

/** @see https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
const Event = z.object({
  event: z.string(),
  sg_event_id: z.string().min(1).max(200),
  /** Absent in bounces that arrive late. */
  sg_message_id: z.string().min(1).max(500).optional().catch(undefined),
  email: Text,
  /** Of a bounce: `bounce` is permanent, `blocked` is temporary. */
  type: Text,
  /** The enhanced status code, such as 5.1.1. */
  status: z
    .string()
    .regex(/^\d\.\d{1,3}\.\d{1,3}$/)
    .optional()
    .catch(undefined),
  reason: Text,
  response: Text,
  notification_id: Text,
  attempt_id: Text,
  traceparent: Text,
  recipient_tag: Text,
})
type Event = z.output<typeof Event>

type Verdict = Pick<StatusReport, 'status' | 'code' | 'said' | 'suppress' | 'retryable'>

const verdicts: Record<string, (event: Event) => Verdict> = {
  processed: () => ({ status: 'sent' }),
  delivered: () => ({ status: 'delivered' }),
  deferred: () => ({ status: 'delayed', code: 'deferred' }),
  bounce: ({ type = 'bounce', status, reason: said }) => ({
    status: 'undelivered',
    code: status ? `${type}:${status}` : type,
    said,
    ...(type === 'bounce' ? { suppress: 'bounce' } : { retryable: true }),
  }),
  dropped: (event) => ({
    status: 'failed',
    code: 'dropped',
    said: event.reason,
    // "Recipient List over Package Quota" is about the account.
    retryable: /quota/i.test(event.reason ?? ''),
    ...suppressionOf(event),
  }),
  unsubscribe: () => unsubscribed('unsubscribe'),
  group_unsubscribe: () => unsubscribed('group_unsubscribe'),
  spamreport: () => ({ status: 'complained', code: 'spamreport', suppress: 'complaint' }),
}

const unsubscribed = (code: string): Verdict => ({ status: 'unsubscribed', code, suppress: 'stop' })

const suppressions: Record<string, StatusReport['suppress']> = {
  'Bounced Address': 'bounce',
  Invalid: 'bounce',
  'Spam Reporting Address': 'complaint',
  'Unsubscribed Address': 'stop',
}

/** A message is dropped unsent where SendGrid itself suppresses the recipient. What it calls invalid may be a part of a name. */
function suppressionOf({ reason = '', email = '' }: Event): Pick<StatusReport, 'suppress'> {
  const isKnown = Object.hasOwn(suppressions, reason) && email.includes('@')
  const suppress = isKnown ? suppressions[reason] : undefined
  return suppress ? { suppress } : {}
}

/** Reads the events of a post. Events of other kinds, and unreadable ones, give no receipt. */
export function readEvents(account: ReceivingAccount, post: unknown): ReceiptReport[] {
  return (Array.isArray(post) ? post : []).flatMap((one) => {
    const event = Event.safeParse(one).data
    if (!event || !Object.hasOwn(verdicts, event.event)) return []
    const { sg_event_id, sg_message_id = sg_event_id, email } = event
    return receiptOf(account, {
      // The send is answered with the part before the first dot.
      id: sg_message_id.split('.')[0]!,
      travelled: event,
      recipients: email ? [email] : [],
      ...verdicts[event.event]!(event),
    })
  })
}
