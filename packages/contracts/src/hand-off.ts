import { z } from 'zod'
import { Channel } from './channel.ts'
import { SealedText } from './event.ts'
import { idSchema } from './ids.ts'
import { Lane } from './notifications.ts'
import { KeyMode } from './permissions.ts'
import { EventTime } from './text.ts'

/**
 * A notification that another service delivers. The event of each such channel carries this. The same hand-off may come
 * several times: its receiver delivers it once, and reports again what became of it.
 */
export const HandOff = z.object({
  notification_id: idSchema('notif'),
  /** Which hand-off of the notification it is: 0, then one more for each retry by an operator. */
  retry_count: z.int().min(0),
  tenant_id: idSchema('ten'),
  application_id: idSchema('app'),
  mode: KeyMode,
  lane: Lane,
  channel: Channel,
  event_key: z.string().nullable(),
  created_at: EventTime,
  /** The channel's payload; the event declares it as sealed, bound to `tenant_id` and `notification_id`. */
  content: SealedText,
})
export type HandOff = z.output<typeof HandOff>

/** What became of a hand-off. */
export const HandOffReport = z.object({
  notification_id: idSchema('notif'),
  /** That of the hand-off. */
  retry_count: z.int().min(0),
  /** `sent`: the receiver has stored it and goes on by itself. The others are final. */
  status: z.enum(['sent', 'delivered', 'undelivered', 'failed']),
  /** Why it was not delivered, without personal data. */
  failure_reason: z.string().max(500).nullable(),
  /** Whether an operator may try again. */
  retryable: z.boolean(),
})
export type HandOffReport = z.output<typeof HandOffReport>
