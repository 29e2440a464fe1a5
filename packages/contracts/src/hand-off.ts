import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { defineEvent, SealedText } from './event.ts'
import { idSchema } from './ids.ts'
import { Lane } from './notifications.ts'
import { KeyMode } from './permissions.ts'
import { defineRoute, service } from './route.ts'
import { EventTime } from './text.ts'

/**
 * A notification that another service delivers; the payload of the work event of such a channel.
 * The same hand-off may arrive several times. The receiver delivers it once and repeats its report.
 */
export const HandOff = z.object({
  notification_id: idSchema('notif'),
  /** Sequence of the hand-off: 0, plus one for each retry by an operator. */
  retry_count: z.int().min(0),
  tenant_id: idSchema('ten'),
  application_id: idSchema('app'),
  mode: KeyMode,
  lane: Lane,
  channel: Channel,
  event_key: z.string().nullable(),
  /** Absent: none, so nobody can have switched it off. */
  topic: z.string().optional(),
  created_at: EventTime,
  /**
   * The notification handed over to this recipient before, as long as its delivery is unconfirmed: the receiver delivers it
   * first. Null: none.
   */
  after: idSchema('notif').nullable(),
  /** The payload of the channel. The event seals it, bound to `tenant_id` and `notification_id`. */
  content: SealedText,
})
export type HandOff = z.output<typeof HandOff>

/**
 * Declares the event by which dispatch hands over notifications of a channel.
 * @param subject with `{lane}`
 * @param content payload of the channel
 */
export function defineHandOff<Content extends z.ZodType>(subject: string, content: Content) {
  return defineEvent({
    publisher: 'dispatch',
    subject,
    schema: HandOff,
    sealed: { field: 'content', aad: ['tenant_id', 'notification_id'], content },
  })
}

/** The outcome of a hand-off. */
export const HandOffReport = z.object({
  notification_id: idSchema('notif'),
  /** The `retry_count` of the hand-off. */
  retry_count: z.int().min(0),
  /**
   * `sent`: the receiver has stored it and continues on its own. The others are final. `cancelled`: it was not delivered, because it
   * is no longer wanted.
   */
  status: z.enum(['sent', 'delivered', 'undelivered', 'failed', 'cancelled']),
  /** Why it was not delivered; contains no personal data. */
  failure_reason: z.string().max(500).nullable(),
  /** Whether an operator may retry it. */
  retryable: z.boolean(),
})
export type HandOffReport = z.output<typeof HandOffReport>

/** The `failure_reason` of a notification that ends as `cancelled`: its recipient has switched its topic off since it was accepted. */
export const optedOutReason = 'recipient_opted_out'

/** Most notifications of one question. */
export const mostJudgedHandOffs = 256

export const judgeHandOffs = defineRoute({
  name: 'judgeHandOffs',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/hand-offs/judge',
  summary:
    'List which of these notifications their recipients have switched off, for the service that is about to deliver them',
  auth: service('hand-offs:judge'),
  idempotent: true,
  body: z.object({ notification_ids: z.array(idSchema('notif')).min(1).max(mostJudgedHandOffs) }),
  responses: {
    200: z.object({
      opted_out: z.array(idSchema('notif')),
      /** Dispatch does not keep them any more, so nobody can say what their recipients want. */
      unknown: z.array(idSchema('notif')),
    }),
  },
  errors: [],
})
