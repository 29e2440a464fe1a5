import { z } from 'zod'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { modeFilter } from './permissions.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

/** How long requests are kept. */
export const requestDays = 7

/** A request with an API key. Its path has our own ids, and the names of other parameters. */
export const ApiRequest = z
  .object({
    request_id: z.string().meta({ description: '`X-Request-Id` of the response' }),
    requested_at: Timestamp,
    key_id: idSchema('key'),
    method: z.string(),
    path: z.string().meta({
      description:
        'Path with the ids that the service issued. Other parameters are replaced by their names, unknown parts by `…`; without the query string',
      example: '/api/v1/notifications/{notification_id}',
    }),
    status: z.int(),
    code: z.string().nullable().meta({ description: 'Code of the problem that refused it' }),
    duration_ms: z.int(),
  })
  .meta({ id: 'ApiRequest' })
export type ApiRequest = z.infer<typeof ApiRequest>

export const listApiRequests = defineRoute({
  name: 'listApiRequests',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/applications/:application_id/requests',
  summary: `List requests with the API keys of an application, newest first, of the last ${requestDays} days`,
  auth: operator('activity:read'),
  params: z.object({ application_id: givenId('app') }),
  query: z.strictObject({
    outcome: z.enum(['all', 'refused']).default('all').meta({ description: '`refused`: status 400 and above' }),
    key_id: idSchema('key').optional(),
    code: z.string().min(1).max(64).optional().meta({ description: 'Only requests that were answered with this code' }),
    request_id: z.string().min(1).max(128).optional().meta({ description: 'The X-Request-Id of one request' }),
    ...modeFilter,
    ...listQuery,
  }),
  responses: {
    200: pageOf(ApiRequest).extend({
      not_stored: z
        .array(z.object({ status: z.int(), code: z.string().nullable(), requests: z.int() }))
        .meta({ description: 'Requests of the same days that were only counted, because many came at once' }),
    }),
  },
  errors: ['not_found'],
})
