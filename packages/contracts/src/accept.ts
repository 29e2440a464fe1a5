import { z } from 'zod'
import { idSchema } from './ids.ts'
import { Lane } from './notifications.ts'
import { KeyMode } from './permissions.ts'
import { ProblemBody } from './problem.ts'
import { defineRoute, internal, service } from './route.ts'

/** One request of a coalesced accept call. The gateway chooses the id, so that an unanswered call can be repeated. */
export const AcceptItem = z.object({
  notification_id: idSchema('notif'),
  principal: z.int().min(0).meta({ description: 'Index of the caller in `principals`' }),
  idempotency_key: z.string().optional(),
  /** For the log. */
  request_id: z.string().optional(),
  traceparent: z.string().optional(),
  repeated: z.literal(true).optional().meta({ description: 'The item was sent before, and its answer may be lost' }),
  request: z.unknown(),
})
export type AcceptItem = z.infer<typeof AcceptItem>

/** The result of a request: the response of the public route as JSON text, or its problem. */
export const ItemResult = z.union([
  z.object({ body: z.string(), replayed: z.boolean().optional() }),
  z.object({
    problem: ProblemBody.omit({ request_id: true, type: true }),
    may_have_taken_effect: z
      .literal(true)
      .optional()
      .meta({ description: 'The response of the commit was lost. Repeat the item with the same id.' }),
  }),
])
export type ItemResult = z.infer<typeof ItemResult>

/** A line of the answer: the result of one item. */
export const AcceptLine = z
  .object({ item: z.int().min(0).meta({ description: 'Index of the item in `items`' }) })
  .and(ItemResult)
export type AcceptLine = z.infer<typeof AcceptLine>

/**
 * A batch of dispatch requests in one call. Every item is validated, accepted or refused on its own, and answered with a line
 * as soon as it is settled. Items without a line can be sent again under the same ids.
 */
export const acceptNotifications = defineRoute({
  name: 'acceptNotifications',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/notifications/accept',
  summary: 'Accept a batch of dispatch requests',
  auth: internal,
  body: z.object({
    principals: z.array(z.string()).max(512).meta({ description: 'Signed principals, each listed once' }),
    items: z.array(AcceptItem).min(1).max(512),
  }),
  maxBodyBytes: 64 * 1024 * 1024,
  responseType: 'application/x-ndjson',
  responses: { 200: AcceptLine },
  errors: [],
})

/** A notification of another service, which chooses the id: an unanswered item is repeated with the same id. */
export const ServiceItem = z.object({
  notification_id: idSchema('notif'),
  tenant_id: idSchema('ten'),
  application_id: idSchema('app'),
  mode: KeyMode,
  lane: Lane,
  default_locale: z.string().optional().meta({ description: 'Of the application' }),
  default_time_zone: z.string().optional(),
  written_locale: z.string().optional().meta({
    description: 'Language of the texts of the request. Default: `locale` of the request, then `default_locale`',
  }),
  request: z.unknown().meta({ description: 'As in the public route, without `priority` and `send_at`' }),
  expires_at: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: 'No carrier is called after this time; the message then ends with the reason `expired`' }),
  erase_when_terminal: z.boolean().default(false).meta({
    description:
      'Whether its content is erased once a carrier has accepted it, or it has failed or expired; it cannot be retried then',
  }),
  replaces: z.array(idSchema('notif')).max(10).optional().meta({
    description:
      'Earlier notifications of the same application and lane that this one makes useless. Those that still wait expire.',
  }),
  traceparent: z.string().optional(),
})
export type ServiceItem = z.output<typeof ServiceItem>

/** Accepts each id once and always returns the same result for it. */
export const acceptServiceNotifications = defineRoute({
  name: 'acceptServiceNotifications',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/notifications',
  summary: 'Accept notifications that another service sends for an application',
  auth: service('notifications:accept'),
  body: z.object({ items: z.array(ServiceItem).min(1).max(512) }),
  // The caller chooses the ids.
  idempotent: true,
  judgesParts: true,
  maxBodyBytes: 16 * 1024 * 1024,
  responses: { 200: z.object({ results: z.array(ItemResult) }) },
  errors: [],
})
