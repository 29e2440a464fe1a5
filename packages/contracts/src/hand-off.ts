import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { defineEvent, SealedText } from './event.ts'
import { idSchema } from './ids.ts'
import { Lane } from './notifications.ts'
import { KeyMode } from './permissions.ts'
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
  /** `sent`: the receiver has stored it and continues on its own. The others are final. */
  status: z.enum(['sent', 'delivered', 'undelivered', 'failed']),
  /** Why it was not delivered; contains no personal data. */
  failure_reason: z.string().max(500).nullable(),
  /** Whether an operator may retry it. */
  retryable: z.boolean(),
})
export type HandOffReport = z.output<typeof HandOffReport>
