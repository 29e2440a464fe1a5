import { z } from 'zod'
import { SuppressionChannel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { RecipientTag } from './recipient-tag.ts'
import { RecipientToken } from './recipient-token.ts'
import { defineRoute, NoContent, operator } from './route.ts'
import { Timestamp } from './text.ts'

/** Why a recipient is suppressed. Only `stop` can be lifted by the recipient (START). */
export const SuppressionReason = z.enum(['bounce', 'complaint', 'stop', 'manual'])
export type SuppressionReason = z.infer<typeof SuppressionReason>

export const Suppression = z
  .object({
    suppression_id: idSchema('sup'),
    channel: SuppressionChannel,
    recipient_masked: z.string(),
    recipient_tag: RecipientTag,
    reason: SuppressionReason,
    source_notification_id: idSchema('notif').nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Suppression' })
export type Suppression = z.infer<typeof Suppression>

/*
 * Reading requires the same permission as the consent ledger. Adding and lifting require providers:manage,
 * because they affect the reputation of the carrier accounts.
 */

export const listSuppressions = defineRoute({
  name: 'listSuppressions',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/suppressions',
  summary: 'List suppressed recipients, newest first',
  auth: operator('consents:read'),
  query: z.strictObject({
    channel: SuppressionChannel.optional(),
    reason: SuppressionReason.optional(),
    recipient: z.string().min(1).max(320).optional(),
    recipient_token: RecipientToken.optional().meta({
      description: 'In place of recipient: see POST /recipients/lookup',
    }),
    ...listQuery,
  }),
  responses: { 200: pageOf(Suppression) },
  errors: [],
})

export const addSuppression = defineRoute({
  name: 'addSuppression',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/suppressions',
  summary: 'Suppress a recipient. Suppressing it again returns the existing suppression.',
  auth: operator('providers:manage'),
  body: z.strictObject({
    channel: SuppressionChannel,
    recipient: z.string().min(1).max(320).meta({ description: 'Email address or E.164 number' }),
    reason: z.literal('manual').default('manual'),
  }),
  responses: { 201: Suppression },
  errors: ['invalid_recipient', ...idempotencyErrors],
})

export const liftSuppression = defineRoute({
  name: 'liftSuppression',
  service: 'dispatch',
  method: 'DELETE',
  path: '/api/v1/suppressions/:suppression_id',
  summary: 'Lift a suppression',
  auth: operator('providers:manage'),
  params: z.object({ suppression_id: givenId('sup') }),
  responses: { 204: NoContent },
  errors: ['not_found'],
})
