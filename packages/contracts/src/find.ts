import { z } from 'zod'
import { idSchema } from './ids.ts'
import { defineRoute, operator } from './route.ts'

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
  summary: 'Find the application of an API key, a request or an event that has been sent, by the whole id or key',
  auth: operator('activity:read'),
  query: z.strictObject({ id: z.string().min(1).max(128).meta({ description: 'Key id, request id or event key' }) }),
  responses: { 200: z.object({ items: z.array(FoundId) }) },
  errors: [],
})
