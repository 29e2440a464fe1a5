import { z } from 'zod'
import { activityFilters, isRange, notARange } from './activity.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { defineRoute, operator } from './route.ts'
import { MomentText, Timestamp } from './text.ts'

const path = '/api/v1/activity/retries'

export const RetryJobRequest = z
  .strictObject({
    ...activityFilters,
    from: MomentText.optional().meta({ description: 'Created at this time or later', example: '2026-11-21T00:00:00Z' }),
    to: MomentText.optional().meta({ description: 'Created before this time', example: '2026-11-22T00:00:00Z' }),
    dry_run: z.boolean().default(false).meta({ description: 'Returns the count and retries nothing' }),
  })
  .refine(({ dry_run: _, ...filters }) => Object.values(filters).some((value) => value !== undefined), {
    path: ['status'],
    error:
      'at least one filter is required: channel, status, application_id, event_key, mode, recipient, recipient_token, locale, broadcast_id, digest_id, from or to',
  })
  .refine(
    ({ from, to }) => isRange({ from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined }),
    notARange,
  )
  .meta({ id: 'RetryJobRequest' })

const filtersShown = z.object({
  channel: z.string().optional(),
  status: z.string().optional(),
  application_id: z.string().optional(),
  event_key: z.string().optional(),
  mode: z.string().optional(),
  recipient_masked: z.string().optional(),
  locale: z.string().optional(),
  broadcast_id: z.string().optional(),
  digest_id: z.string().optional(),
  from: Timestamp.optional(),
  to: Timestamp.optional(),
})

/** `waiting`: behind another job of the tenant, since one runs at a time. */
export const RetryJob = z
  .object({
    retry_id: idSchema('retry'),
    status: z.enum(['waiting', 'running', 'completed', 'cancelled']),
    filters: filtersShown,
    count: z.int().meta({ description: 'Items that matched when the job was created' }),
    count_capped: z.boolean(),
    processed: z.int().meta({ description: 'Items that the job has processed' }),
    retried: z.int(),
    skipped: z
      .int()
      .meta({ description: 'Items that could no longer be retried, such as those of a suppressed recipient' }),
    requested_by: z.string().meta({ description: "The operator's pseudonym" }),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'RetryJob' })
export type RetryJob = z.infer<typeof RetryJob>

export const createRetryJob = defineRoute({
  name: 'createRetryJob',
  service: 'gateway',
  method: 'POST',
  path,
  summary: 'Create a job that retries all matching failed items at a limited rate',
  auth: operator('activity:retry'),
  body: RetryJobRequest,
  responses: {
    202: RetryJob,
    200: z.object({ count: z.int(), count_capped: z.boolean() }).meta({ id: 'RetryJobCount' }),
  },
  errors: ['retry_job_limit_reached', ...idempotencyErrors],
})

export const listRetryJobs = defineRoute({
  name: 'listRetryJobs',
  service: 'gateway',
  method: 'GET',
  path,
  summary: 'List retry jobs, newest first',
  auth: operator('activity:read'),
  query: z.strictObject(listQuery),
  responses: {
    200: pageOf(RetryJob).meta({ id: 'RetryJobList' }),
  },
  errors: [],
})

export const getRetryJob = defineRoute({
  name: 'getRetryJob',
  service: 'gateway',
  method: 'GET',
  path: `${path}/jobs/:retry_id`,
  summary: 'Retrieve a retry job with its progress',
  auth: operator('activity:read'),
  params: z.object({ retry_id: givenId('retry') }),
  responses: { 200: RetryJob },
  errors: ['not_found'],
})

export const cancelRetryJob = defineRoute({
  name: 'cancelRetryJob',
  service: 'gateway',
  method: 'POST',
  path: `${path}/jobs/:retry_id/cancel`,
  summary: 'Cancel a retry job. Items that it has already retried are not affected.',
  auth: operator('activity:retry'),
  params: z.object({ retry_id: givenId('retry') }),
  responses: { 200: RetryJob },
  errors: ['not_found', 'not_cancellable', ...idempotencyErrors],
})
