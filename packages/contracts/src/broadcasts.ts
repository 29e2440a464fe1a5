import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { KeyMode, modeFilter } from './permissions.ts'
import { apiKey, apiKeyOrOperator, defineRoute } from './route.ts'
import { Timestamp } from './text.ts'

export const BroadcastStatus = z.enum(['running', 'paused', 'cancelled', 'completed'])
export type BroadcastStatus = z.infer<typeof BroadcastStatus>

export const Broadcast = z
  .object({
    broadcast_id: idSchema('bc'),
    list_id: idSchema('list'),
    application_id: idSchema('app'),
    mode: KeyMode,
    channel: Channel,
    event_key: z.string().nullable(),
    status: BroadcastStatus,
    total: z.int().meta({ description: 'Members of the list when the broadcast was made', example: 12 }),
    accepted: z.int().meta({ description: 'Members with a notification', example: 10 }),
    refused: z.int().meta({ description: 'Members without one', example: 2 }),
    refusals: z
      .record(z.string(), z.int())
      .meta({ description: 'Refused members by error code', example: { recipient_unknown: 2 } }),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'Broadcast' })
export type Broadcast = z.output<typeof Broadcast>

/** Fields of a notification that are one recipient's alone. */
export const notInBroadcasts = ['cc', 'bcc', 'attachments', 'priority'] as const

const writers = apiKeyOrOperator('lists:manage', 'activity:retry')
const readers = apiKeyOrOperator('lists:manage', 'activity:read')
const path = '/api/v1/broadcasts/:broadcast_id'
const params = z.object({ broadcast_id: givenId('bc') })

export const createBroadcast = defineRoute({
  name: 'createBroadcast',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/lists/:list_id/notifications',
  summary: 'Send a notification to each member of a list, in the bulk lane',
  auth: apiKey('lists:manage'),
  params: z.object({ list_id: givenId('list') }),
  body: z.record(z.string(), z.unknown()).meta({
    description:
      'The fields of DispatchRequest, without a recipient: each member is one. A `subject`, `body` or `html_body` with Liquid is a template, also without `template_data`; with a `layout_id` each of them is one, and must be as short',
    id: 'NewBroadcast',
  }),
  responses: { 202: Broadcast },
  errors: [
    'list_not_found',
    'event_not_found',
    'channel_not_allowed',
    'invalid_recipient',
    'topic_not_found',
    'topic_required',
    'WHATSAPP_OPT_IN_REQUIRED',
    'provider_not_configured',
    'domain_not_verified',
    'template_not_approved',
    'broadcast_limit_reached',
    ...idempotencyErrors,
  ],
})

export const listBroadcasts = defineRoute({
  name: 'listBroadcasts',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/broadcasts',
  summary: 'List broadcasts, newest first',
  auth: readers,
  query: z.strictObject({ list_id: z.string().max(64).optional(), ...modeFilter, ...listQuery }),
  responses: { 200: pageOf(Broadcast).meta({ id: 'BroadcastList' }) },
  errors: [],
})

export const getBroadcast = defineRoute({
  name: 'getBroadcast',
  service: 'dispatch',
  method: 'GET',
  path,
  summary: 'Retrieve a broadcast with its progress',
  auth: readers,
  params,
  responses: { 200: Broadcast },
  errors: ['not_found'],
})

const control = (verb: 'pause' | 'resume' | 'cancel', summary: string) =>
  ({
    name: `${verb}Broadcast`,
    service: 'dispatch',
    method: 'POST',
    path: `${path}/${verb}`,
    summary,
    auth: writers,
    params,
    responses: { 200: Broadcast },
    errors: ['not_found', 'broadcast_not_running', ...idempotencyErrors],
  }) as const

export const pauseBroadcast = defineRoute(
  control('pause', 'Pause a broadcast. Notifications that are accepted already are sent.'),
)
export const resumeBroadcast = defineRoute(control('resume', 'Resume a paused broadcast'))
export const cancelBroadcast = defineRoute(
  control('cancel', 'Cancel a broadcast with its notifications that no carrier has been given yet'),
)
