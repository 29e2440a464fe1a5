import { withoutAddresses } from '@notify/privacy'
import { isTraceparent } from '@notify/service-kit'
import { z } from 'zod'
import { addressIn } from '../address-in.ts'
import { correlated, readCorrelation } from '../correlation.ts'
import { readJson } from '../read-json.ts'
import type { ReceiptReport } from '../receiver.ts'
import { copyOf } from '../recipient-mark.ts'
import { explainEvent } from './event-codes.ts'

/** A type or subtype; becomes part of a code. */
const Word = z
  .string()
  .regex(/^[A-Za-z-]{1,64}$/)
  .catch('Undetermined')
const Recipients = z.array(z.object({ emailAddress: z.string(), diagnosticCode: z.string().optional() })).catch([])

/** @see https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html */
const SesEvent = z.object({
  eventType: z.string(),
  mail: z.object({
    messageId: z.string().regex(/^[\w.@<>=+-]{1,200}$/),
    destination: z.array(z.string()).catch([]),
    tags: z.record(z.string(), z.array(z.string())).catch({}),
  }),
  bounce: z
    .object({ bounceType: Word, bounceSubType: Word, bouncedRecipients: Recipients })
    .optional()
    .catch(undefined),
  delivery: z
    .object({ recipients: z.array(z.string()).catch([]) })
    .optional()
    .catch(undefined),
  complaint: z
    .object({
      complaintFeedbackType: Word.optional(),
      complaintSubType: Word.optional(),
      complainedRecipients: Recipients,
    })
    .optional()
    .catch(undefined),
  reject: z.object({ reason: z.string() }).optional().catch(undefined),
  failure: z.object({ errorMessage: z.string() }).optional().catch(undefined),
  deliveryDelay: z.object({ delayType: Word, delayedRecipients: Recipients }).optional().catch(undefined),
})
type SesEvent = z.output<typeof SesEvent>

/** A parsed SES event, before its account is known. */
export type SesReport = Omit<ReceiptReport, 'type' | 'account' | 'callbackId'>

type Verdict = Pick<SesReport, 'status' | 'suppress'> & { code?: string; diagnostic?: string | undefined }

const verdicts: Record<string, (event: SesEvent) => Verdict | undefined> = {
  Send: () => ({ status: 'sent' }),
  Delivery: () => ({ status: 'delivered' }),
  Bounce: ({ bounce }) => {
    const { bounceType = 'Undetermined', bounceSubType = 'Undetermined', bouncedRecipients = [] } = bounce ?? {}
    return {
      status: 'undelivered',
      code: `bounce:${bounceType}:${bounceSubType}`,
      diagnostic: diagnosisOf(bouncedRecipients),
      ...(bounceType === 'Permanent' ? { suppress: 'bounce' } : {}),
    }
  },
  Complaint: ({ complaint }) => {
    const { complaintFeedbackType: type, complaintSubType: subType = '' } = complaint ?? {}
    // SES has not tried to send the message, because of an earlier complaint.
    if (subType.endsWith('SuppressionList'))
      return { status: 'failed', code: `complaint:${subType}`, suppress: 'complaint' }
    // A recipient moved the message out of the spam folder.
    if (type === 'not-spam') return undefined
    return { status: 'complained', code: `complaint:${type ?? 'Undetermined'}`, suppress: 'complaint' }
  },
  Reject: ({ reject }) => ({ status: 'failed', code: 'reject', diagnostic: reject?.reason }),
  'Rendering Failure': ({ failure }) => ({
    status: 'failed',
    code: 'rendering_failure',
    diagnostic: failure?.errorMessage,
  }),
  DeliveryDelay: ({ deliveryDelay }) => ({
    status: 'delayed',
    code: `delay:${deliveryDelay?.delayType ?? 'Undetermined'}`,
  }),
}

/**
 * Parses an SES event. One that names several recipients of a message with copies gives a report on each.
 * @param text the message within the SNS envelope
 * @returns none for other texts, and for events not about delivery (opens, clicks)
 */
export function readSesEvent(text: string): SesReport[] {
  const event = SesEvent.safeParse(readJson(text))
  if (!event.success) return []
  const { eventType, mail, complaint } = event.data
  const verdict = Object.hasOwn(verdicts, eventType) ? verdicts[eventType]!(event.data) : undefined
  if (!verdict) return []
  const { status, code = null, diagnostic } = verdict
  const tag = (name: string) => mail.tags[name]?.[0]
  const [traceparent, recipientTag] = [tag('traceparent'), tag('recipient_tag')]
  // If the complainant is hidden, SES names all recipients who may have complained: nobody is suppressed for another's.
  const isUnsure = status === 'complained' && recipientTag !== undefined && complaint?.complainedRecipients.length !== 1
  const suppress = isUnsure ? undefined : verdict.suppress
  const message = diagnostic ? withoutAddresses(diagnostic, mail.destination.map(addressIn)) : undefined
  return copiesIn(event.data, isUnsure ? undefined : recipientTag).map((copy) => ({
    provider_message_id: mail.messageId,
    ...correlated(readCorrelation({ notification_id: tag('notification_id'), attempt_id: tag('attempt_id') })),
    ...(copy ? { copy } : {}),
    status,
    error_code: code,
    ...(status === 'failed' || status === 'undelivered' ? explainEvent(code, message, suppress) : {}),
    ...(suppress ? { suppress } : {}),
    ...(isTraceparent(traceparent) ? { traceparent } : {}),
  }))
}

/** Whom an event is about: the marks of copies, and undefined for the message's own recipient or all of them. */
function copiesIn({ delivery, bounce, complaint, deliveryDelay }: SesEvent, tag: string | undefined) {
  if (tag === undefined) return [undefined]
  const addresses = [
    ...(delivery?.recipients ?? []),
    ...[bounce?.bouncedRecipients, complaint?.complainedRecipients, deliveryDelay?.delayedRecipients].flatMap((list) =>
      (list ?? []).map(({ emailAddress }) => emailAddress),
    ),
  ]
  const marks = new Set(addresses.map((address) => copyOf(tag, address)))
  return marks.size > 0 ? [...marks] : [undefined]
}

const diagnosisOf = (recipients: z.output<typeof Recipients>) =>
  recipients.find(({ diagnosticCode }) => diagnosticCode)?.diagnosticCode
