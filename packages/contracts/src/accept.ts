import { z } from 'zod'
import { idSchema } from './ids.ts'
import { ProblemBody } from './problem.ts'
import { defineRoute, internal } from './route.ts'

/** One request of a coalesced accept call. The gateway chose the id, so that a call without answer can be repeated. */
export const AcceptItem = z.object({
  notification_id: idSchema('notif'),
  principal: z.int().min(0).meta({ description: 'Which of the principals is the caller' }),
  idempotency_key: z.string().optional(),
  traceparent: z.string().optional(),
  request: z.unknown(),
})
export type AcceptItem = z.infer<typeof AcceptItem>

export const AcceptResult = z.union([
  z.object({ body: z.string(), replayed: z.boolean().optional() }),
  z.object({ problem: ProblemBody.omit({ request_id: true, type: true }) }),
  z
    .object({ pending: z.literal(true) })
    .meta({ description: 'Takes its time; the same item asked for again, in a call that does not defer, is answered' }),
])
export type AcceptResult = z.infer<typeof AcceptResult>

/** Many dispatch requests of the same moment in one call; every item is judged, answered and refused alone. */
export const acceptNotifications = defineRoute({
  name: 'acceptNotifications',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/notifications/accept',
  summary: 'Accept a batch of dispatch requests',
  auth: internal,
  body: z.object({
    principals: z
      .array(z.string())
      .max(512)
      .meta({ description: 'Signed; each once, however many items are of one caller' }),
    items: z.array(AcceptItem).min(1).max(512),
    defers: z.boolean().default(false).meta({
      description: 'Whether items that take their time may be answered `pending`, so that the others need not wait',
    }),
  }),
  maxBodyBytes: 64 * 1024 * 1024,
  responses: { 200: z.object({ results: z.array(AcceptResult) }) },
  errors: [],
})
