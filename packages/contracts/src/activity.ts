import { z } from 'zod'
import { Channel } from './channel.ts'
import { listQuery, wholeNumber } from './list.ts'
import { DeliveryStatus } from './notifications.ts'
import { KeyMode } from './permissions.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

/** The states of notifications, and those that only codes have. */
export const ActivityStatus = z.enum([...DeliveryStatus.options, 'verified', 'expired'])
export type ActivityStatus = z.infer<typeof ActivityStatus>

export const ActivityItem = z
  .object({
    transaction_id: z.string(),
    application_name: z.string(),
    channel: Channel,
    recipient_masked: z.string(),
    status: ActivityStatus,
    failure_reason: z.string().nullable(),
    created_at: Timestamp,
    retryable: z.boolean(),
    retry_count: z.int(),
    mode: KeyMode.meta({
      description: 'Mode of the API key that sent it. Messages of test keys go to the carrier sandbox only.',
    }),
  })
  .meta({ id: 'ActivityItem' })
export type ActivityItem = z.infer<typeof ActivityItem>

/** Rows that `page` reaches. Deeper rows are read with `cursor`, which costs the same at any depth. */
const rowsInPages = 10_000

export const ActivityQuery = z
  .strictObject({
    channel: Channel.optional(),
    status: ActivityStatus.optional(),
    page: wholeNumber(1, 1_000_000)
      .default(1)
      .meta({ description: `Page number, within the first ${rowsInPages} rows. Use cursor for later rows.` }),
    ...listQuery,
  })
  .refine(({ page, limit, cursor }) => cursor !== undefined || !(page * limit > rowsInPages), {
    path: ['page'],
    error: `must stay within the first ${rowsInPages} rows; use cursor (next_cursor of the previous page) for later rows`,
  })

export const ActivityList = z
  .object({
    total_count: z.int(),
    page: z.int(),
    items: z.array(ActivityItem),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'ActivityList' })

export const listActivity = defineRoute({
  name: 'listActivity',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/activity',
  summary: 'List delivery activity of all applications and channels, newest first',
  auth: operator('activity:read'),
  query: ActivityQuery,
  responses: { 200: ActivityList },
  errors: [],
})

export const RetryQueued = z
  .object({ status: z.literal('retry_queued'), transaction_id: z.string(), queued_at: Timestamp })
  .meta({ id: 'RetryQueued' })

export const retryActivity = defineRoute({
  name: 'retryActivity',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/activity/:id/retry',
  summary: 'Retry a failed notification',
  auth: operator('activity:retry'),
  params: z.object({ id: z.string() }),
  responses: { 202: RetryQueued },
  errors: ['not_found', 'not_retryable', 'invalid_idempotency_key', 'idempotency_conflict', 'idempotency_in_progress'],
})
