import { z } from 'zod'
import { idSchema } from './ids.ts'
import { defineRoute, operator, service } from './route.ts'

export const FoundId = z
  .object({
    kind: z.enum(['key', 'request', 'event']),
    id: z.string(),
    application_id: idSchema('app'),
    application_name: z.string(),
  })
  .meta({ id: 'FoundId' })
export type FoundId = z.infer<typeof FoundId>

export const findById = defineRoute({
  name: 'findById',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/find',
  summary: 'Find the application of an API key, a request or an event, by the whole id or key',
  auth: operator('activity:read'),
  query: z.strictObject({ id: z.string().min(1).max(128).meta({ description: 'Key id, request id or event key' }) }),
  responses: { 200: z.object({ items: z.array(FoundId) }) },
  errors: [],
})

/** Applications of a tenant that have the event, at most. */
export const mostFoundEvents = 10

export const findEvents = defineRoute({
  name: 'findEvents',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/events/find',
  summary: 'The applications of a tenant that have an event, whether it was ever published or sent',
  auth: service('timelines:read'),
  body: z.object({ tenant_id: idSchema('ten'), event_key: z.string().max(128) }),
  idempotent: true,
  responses: { 200: z.object({ application_ids: z.array(idSchema('app')) }) },
  errors: [],
})
