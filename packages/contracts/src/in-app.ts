import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { defineEvent } from './event.ts'
import { idSchema } from './ids.ts'
import { InboxNotification, UserId } from './inbox.ts'
import { OtpSettings } from './otp.ts'
import { anyone, apiKey, defineRoute } from './route.ts'
import { defineStream } from './stream.ts'
import { Timestamp } from './text.ts'

export const createUserToken = defineRoute({
  name: 'createUserToken',
  service: 'inbox-stream',
  method: 'POST',
  path: '/api/v1/in-app/tokens',
  summary: 'Create a user token for the inbox and the live stream',
  auth: apiKey('inbox:token'),
  body: z.strictObject({
    user_id: UserId,
    ttl_seconds: z
      .int()
      .min(1)
      .max(86_400)
      .default(3600)
      .meta({ description: 'Lifetime; streams opened with the token end with it' }),
  }),
  confidential: true,
  responses: {
    201: z.object({ token: z.string(), expires_at: Timestamp, user_id: z.string() }).meta({ id: 'UserToken' }),
  },
  errors: idempotencyErrors,
})

export const getUserTokenKeys = defineRoute({
  name: 'getUserTokenKeys',
  service: 'inbox-stream',
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'Retrieve the public keys that verify user tokens (RFC 7517)',
  auth: anyone,
  responses: { 200: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'Jwks' }) },
  errors: [],
})

const unread_count = z.int().min(0)

/** A change of an existing item in an inbox. */
export const InboxChange = z.enum(['read', 'unread', 'read_all', 'deleted'])
export type InboxChange = z.output<typeof InboxChange>

export const streamInbox = defineStream({
  name: 'streamInbox',
  service: 'inbox-stream',
  path: '/api/v1/in-app/stream',
  summary: 'Stream inbox events of the user. Last-Event-ID replays missed events.',
  events: {
    'connection.ready': z.object({
      connection_id: idSchema('con'),
      recovered: z
        .boolean()
        .meta({ description: 'Whether everything after Last-Event-ID follows; if not, reload the inbox' }),
      head_id: z.int().min(0).meta({ description: "Id of the user's latest event" }),
      unread_count,
    }),
    'notification.created': z.object({ notification: InboxNotification, unread_count }),
    'notification.updated': z.object({
      change: InboxChange,
      notification_id: idSchema('inapp').nullable().meta({ description: 'Null when all were read' }),
      notification: InboxNotification.nullable().meta({ description: 'Null when all were read, or it was deleted' }),
      unread_count,
    }),
    'preferences.changed': z.object({}).meta({
      description: "The user's preferences may have changed: read them again. Its id is that of the last event.",
    }),
    heartbeat: z.object({}),
  },
  errors: ['not_acceptable'],
})

/** An application as other services need it; the highest revision counts. */
export const applicationChanged = defineEvent({
  publisher: 'gateway',
  subject: 'gateway.application.changed',
  schema: z.object({
    application_id: idSchema('app'),
    tenant_id: idSchema('ten'),
    revision: z.int().min(1),
    /** Origins whose pages may call the inbox and the stream. */
    allowed_origins: z.array(z.string()),
    /** Users of a revoked application are refused, and its broadcasts are cancelled. */
    status: z.enum(['active', 'revoked']),
    otp: OtpSettings,
    default_locale: z.string().nullable().optional(),
    default_time_zone: z.string().nullable().optional(),
  }),
})
export type ApplicationChange = z.output<typeof applicationChanged.schema>
