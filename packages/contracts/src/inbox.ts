import { z } from 'zod'
import { defineEvent } from './event.ts'
import { defineHandOff, HandOffReport } from './hand-off.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery } from './list.ts'
import { defineRoute, NoContent, user } from './route.ts'
import { Timestamp } from './text.ts'

/** A user's id in the application: the recipient of an in-app notification, and the `sub` of a user token. */
export const UserId = z
  .string()
  .min(1, 'must have at least 1 character')
  .max(255, 'must have at most 255 characters')
  // Without \p{Cc}: patterns of JSON Schema need not support it.
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'must not contain control characters')
  .meta({ description: "The user's id in the application", example: 'user-42' })

/** The content of an in-app notification, which dispatch stores and hands over. */
export const InAppPayload = z.object({
  channel: z.literal('in_app'),
  user_id: z.string(),
  title: z.string(),
  body: z.string(),
  data: z.record(z.string(), z.unknown()).meta({ example: { table: '7' } }),
  /** The language of the text, where it is known. */
  locale: z.string().exactOptional(),
})
export type InAppPayload = z.output<typeof InAppPayload>

/** An in-app notification is handed over to inbox-stream. */
export const inboxRequested = defineHandOff('dispatch.inbox.{lane}.requested', InAppPayload)

/** The result of a hand-off: the notification is stored in the user's inbox, or its recipient has switched it off. */
export const inboxCreated = defineEvent({
  publisher: 'inbox-stream',
  subject: 'inbox.created',
  schema: HandOffReport,
})

export const InboxNotification = z
  .object({
    id: idSchema('inapp'),
    title: z.string(),
    body: z.string(),
    is_read: z.boolean(),
    created_at: Timestamp,
    data: z.record(z.string(), z.unknown()).meta({ description: 'Display data as it was sent' }),
    locale: z.string().nullable().meta({ description: 'Language of the text; null where it is not known' }),
  })
  .meta({ id: 'InboxNotification' })
export type InboxNotification = z.output<typeof InboxNotification>

const unread_count = z.int().min(0)
const params = z.object({ id: givenId('inapp') })

export const listInbox = defineRoute({
  name: 'listInbox',
  service: 'inbox-stream',
  method: 'GET',
  path: '/api/v1/inbox',
  summary: 'List the notifications of the user, newest first',
  auth: user,
  query: z.strictObject({
    unread_only: z
      .enum(['true', 'false'], 'must be true or false')
      .default('false')
      .transform((text) => text === 'true'),
    category: z.string().min(1).max(64).optional().meta({ description: '`data.category` of the notifications' }),
    ...listQuery,
  }),
  responses: {
    200: z
      .object({
        unread_count,
        notifications: z.array(InboxNotification).meta({ description: 'Fewer than `limit` if they exceed 1 MiB' }),
        next_cursor: z.string().nullable().meta({ description: 'null on the last page' }),
      })
      .meta({ id: 'Inbox' }),
  },
  errors: [],
})

export const getUnreadCount = defineRoute({
  name: 'getUnreadCount',
  service: 'inbox-stream',
  method: 'GET',
  path: '/api/v1/inbox/unread-count',
  summary: 'Count the unread notifications of the user',
  auth: user,
  responses: { 200: z.object({ unread_count }) },
  errors: [],
})

export const markInboxNotification = defineRoute({
  name: 'markInboxNotification',
  service: 'inbox-stream',
  method: 'PATCH',
  path: '/api/v1/inbox/:id',
  summary: 'Mark a notification as read or unread',
  auth: user,
  params,
  body: z.strictObject({ is_read: z.boolean() }),
  responses: { 200: InboxNotification },
  errors: ['not_found'],
})

export const readWholeInbox = defineRoute({
  name: 'readWholeInbox',
  service: 'inbox-stream',
  method: 'POST',
  path: '/api/v1/inbox/read-all',
  summary: 'Mark all notifications as read',
  auth: user,
  responses: { 200: z.object({ unread_count }) },
  errors: [],
})

export const deleteInboxNotification = defineRoute({
  name: 'deleteInboxNotification',
  service: 'inbox-stream',
  method: 'DELETE',
  path: '/api/v1/inbox/:id',
  summary: 'Delete a notification from the inbox',
  auth: user,
  params,
  responses: { 204: NoContent },
  errors: ['not_found'],
})
