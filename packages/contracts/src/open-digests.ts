import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { KeyMode } from './permissions.ts'
import { defineRoute, operator } from './route.ts'
import { EventKey, Timestamp } from './text.ts'

/** A digest that is not sent yet. */
export const OpenDigest = z
  .object({
    digest_id: idSchema('dig'),
    event_key: z.string(),
    mode: KeyMode,
    channel: Channel,
    priority: z.enum(['transactional', 'bulk']),
    recipient_masked: z.string(),
    items: z.int().meta({ description: 'Messages that wait for it', example: 3 }),
    opened_at: Timestamp,
    closes_at: Timestamp,
  })
  .meta({ id: 'OpenDigest' })
export type OpenDigest = z.output<typeof OpenDigest>

const path = '/api/v1/applications/:application_id/digests'

export const listDigests = defineRoute({
  name: 'listDigests',
  service: 'dispatch',
  method: 'GET',
  path,
  summary: 'List the digests of an application that are not sent yet, newest first',
  auth: operator('activity:read'),
  params: z.object({ application_id: givenId('app') }),
  query: z.strictObject({ event_key: EventKey.optional(), ...listQuery }),
  responses: { 200: pageOf(OpenDigest).meta({ id: 'OpenDigestList' }) },
  errors: ['not_found'],
})

export const closeDigest = defineRoute({
  name: 'closeDigest',
  service: 'dispatch',
  method: 'POST',
  path: `${path}/:digest_id/close`,
  summary: 'Close a digest now. It is sent within seconds.',
  auth: operator('activity:retry'),
  params: z.object({ application_id: givenId('app'), digest_id: givenId('dig') }),
  responses: { 200: OpenDigest },
  errors: ['not_found', ...idempotencyErrors],
})
