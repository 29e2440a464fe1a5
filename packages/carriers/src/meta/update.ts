import { Problem } from '@notify/service-kit'
import { z } from 'zod'
import { UnixTime } from '../carrier-time.ts'
import { parseCallback } from '../parse-callback.ts'
import { withoutNumber } from './message-id.ts'

const Text = z.string().max(4096)
const Name = z.string().min(1).max(512)
const MessageId = Name.transform(withoutNumber)
const list = <S extends z.ZodType>(schema: S) => z.array(schema).catch([])
/** Skips an unreadable part, so that the rest of a post counts. */
const orNothing = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined)

const Status = z.object({
  id: MessageId,
  status: z.string(),
  timestamp: UnixTime,
  recipient_id: orNothing(Text),
  recipient_user_id: orNothing(Text),
  biz_opaque_callback_data: orNothing(Text),
  errors: orNothing(
    z.array(
      z.object({
        code: z.int(),
        title: orNothing(z.string()),
        message: orNothing(z.string()),
        error_data: orNothing(z.object({ details: z.string() })),
      }),
    ),
  ),
})
export type Status = z.output<typeof Status>

const Reply = z.object({ id: Text, title: Text })
const Message = z.object({
  id: MessageId,
  timestamp: UnixTime,
  from: orNothing(Text),
  from_user_id: orNothing(Text),
  text: orNothing(z.object({ body: Text })),
  button: orNothing(z.object({ payload: orNothing(Text), text: orNothing(Text) })),
  interactive: orNothing(z.object({ button_reply: orNothing(Reply), list_reply: orNothing(Reply) })),
})
export type Message = z.output<typeof Message>

const Preference = z.object({
  wa_id: orNothing(Text),
  user_id: orNothing(Text),
  category: orNothing(z.string()),
  value: z.enum(['stop', 'resume']),
  timestamp: z.union([z.string(), z.number()]).transform(String),
})
export type Preference = z.output<typeof Preference>

/** `wa_id` is empty or absent for a user with a username who hides the number. */
const Contact = z.object({ wa_id: orNothing(Text), user_id: orNothing(Text) })
export type Contact = z.output<typeof Contact>

const Value = z.object({
  metadata: orNothing(z.object({ phone_number_id: Name })),
  contacts: list(orNothing(Contact)),
  statuses: list(orNothing(Status)),
  messages: list(orNothing(Message)),
  user_preferences: list(orNothing(Preference)),
  event: orNothing(Name),
  message_template_id: orNothing(z.union([z.string(), z.number()]).transform(String)),
  message_template_name: orNothing(Name),
  message_template_language: orNothing(Name),
  message_template_category: orNothing(Name),
  new_category: orNothing(Name),
  new_quality_score: orNothing(Name),
})
export type Value = z.output<typeof Value>

/**
 * A webhook post: entries of several accounts with changes of several fields. Other fields are ignored.
 * @see https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components
 */
const Update = z.object({
  object: z.string(),
  entry: list(
    orNothing(
      z.object({
        id: orNothing(Name),
        time: orNothing(z.number()),
        changes: list(orNothing(z.object({ field: z.string(), value: Value }))),
      }),
    ),
  ),
})

/** One change with its account and time. */
export interface Change {
  businessAccountId: string | undefined
  time: number | undefined
  field: string
  value: Value
}

/**
 * The changes of a post.
 * @throws Problem `invalid_json`, or `validation_failed` when the body is not a post of a webhook
 */
export function readChanges(body: Buffer): Change[] {
  const update = Update.safeParse(parseCallback(body))
  if (!update.success)
    throw new Problem('validation_failed', 'The body is not an update of a WhatsApp Business account')
  if (update.data.object !== 'whatsapp_business_account') return []
  return update.data.entry.flatMap((entry) =>
    (entry?.changes ?? []).flatMap((change) =>
      change ? [{ businessAccountId: entry?.id, time: entry?.time, ...change }] : [],
    ),
  )
}
