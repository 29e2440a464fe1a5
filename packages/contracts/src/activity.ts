import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, wholeNumber } from './list.ts'
import { Locale } from './locale.ts'
import { DeliveryStatus } from './notifications.ts'
import { KeyMode } from './permissions.ts'
import { RecipientTag } from './recipient-tag.ts'
import { RecipientToken } from './recipient-token.ts'
import { defineRoute, operator } from './route.ts'
import { EventKey, MomentText, Timestamp } from './text.ts'

/** The states of notifications, and those that only codes have. */
export const ActivityStatus = z.enum([...DeliveryStatus.options, 'verified', 'expired'])
export type ActivityStatus = z.infer<typeof ActivityStatus>

const item = {
  transaction_id: z.string(),
  application_name: z.string(),
  channel: Channel,
  recipient_masked: z.string(),
  recipient_tag: RecipientTag,
  event_key: z.string().nullable().meta({ description: 'Null without an event, and for codes' }),
  status: ActivityStatus,
  failure_reason: z.string().nullable(),
  created_at: Timestamp,
  retryable: z.boolean().meta({
    description:
      'Whether it permitted a retry at its last change. A retry is refused if since then the recipient was suppressed or has opted out, the notification has expired, or its broadcast was cancelled; GET /activity/{id} shows that',
  }),
  retry_count: z.int(),
  locale: z.string().nullable().meta({ description: 'Language of its text; null where it is not known' }),
  requested_locale: z.string().nullable().meta({ description: 'The locale of the request' }),
  broadcast_id: z.string().nullable().meta({ description: 'The broadcast that sent it' }),
  digest_id: z
    .string()
    .nullable()
    .meta({ description: 'The digest that the notification is an item of, or the message of' }),
  mode: KeyMode.meta({
    description: 'Mode of the API key that sent it. Messages of test keys go to the carrier sandbox only.',
  }),
}

export const ActivityItem = z.object(item).meta({ id: 'ActivityItem' })
export type ActivityItem = z.infer<typeof ActivityItem>

const Moment = MomentText.transform((text) => new Date(text))

const range = {
  from: Moment.optional().meta({ description: 'Created at this time or later', example: '2026-11-21T00:00:00Z' }),
  to: Moment.optional().meta({ description: 'Created before this time', example: '2026-11-22T00:00:00Z' }),
}

/** Filters of all routes that read the activity. An item must match all of them. */
export const activityFilters = {
  channel: Channel.optional(),
  status: ActivityStatus.optional(),
  application_id: idSchema('app').optional(),
  event_key: EventKey.optional(),
  mode: KeyMode.optional(),
  recipient: z.string().min(1).max(2048).optional().meta({
    description: 'The complete recipient: E.164 number, email address, user id or URL. Looked up by its keyed hash.',
  }),
  recipient_token: RecipientToken.optional().meta({
    description: 'In place of recipient: see POST /recipients/lookup',
  }),
  locale: Locale.optional().meta({ description: 'Language of the text' }),
  broadcast_id: idSchema('bc').optional().meta({ description: 'The broadcast that sent it' }),
  digest_id: idSchema('dig')
    .optional()
    .meta({ description: 'The digest that the notification is an item of, or the message of' }),
  ...range,
}

interface Range {
  from?: Date | undefined
  to?: Date | undefined
}

export const isRange = ({ from, to }: Range): boolean => !from || !to || from < to
export const notARange = { path: ['to'], error: 'must be after from' }

/** Rows that `page` reaches. Deeper rows are read with `cursor`, which costs the same at any depth. */
const rowsInPages = 10_000

/** Most matches that are counted one by one, where no counter exists. */
export const mostCounted = 10_000

export const ActivityQuery = z
  .strictObject({
    ...activityFilters,
    page: wholeNumber(1, 999_999_999)
      .default(1)
      .meta({
        description: `Page number, within the first ${rowsInPages} rows. Use cursor for later rows; page is ignored with it.`,
      }),
    ...listQuery,
  })
  .refine(({ page, limit, cursor }) => cursor !== undefined || !(page * limit > rowsInPages), {
    path: ['page'],
    error: `must stay within the first ${rowsInPages} rows; use cursor (next_cursor of the previous page) for later rows`,
  })
  .refine(isRange, notARange)

export const ActivityList = z
  .object({
    total_count: z.int(),
    total_count_capped: z.boolean().meta({
      description:
        `Whether there are more matches than total_count. Counting stops at ${mostCounted} for filters by recipient, by locale, by broadcast_id, by digest_id, by event_key ` +
        `within a time range, and for ranges with more than ${mostCounted} items in their first or last hour.`,
    }),
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
  params: z.object({ id: givenId('notif') }),
  query: z.strictObject({
    expected_retry_count: wholeNumber(0, 1_000_000)
      .optional()
      .meta({
        description:
          'The retry_count that the caller has seen. If it has grown since, the answer is 409 retry_in_progress, so that ' +
          'two clicks retry once.',
      }),
  }),
  responses: { 202: RetryQueued },
  errors: ['not_found', 'not_retryable', 'retry_in_progress', ...idempotencyErrors],
})

/** The most hours or days of a summary. */
export const mostBuckets = 750

export const ActivitySummary = z
  .object({
    interval: z.enum(['hour', 'day']),
    from: Timestamp.meta({ description: 'Start of the first bucket' }),
    to: Timestamp.meta({ description: 'End of the last bucket' }),
    buckets: z.array(
      z.object({
        starts_at: Timestamp.meta({ example: '2026-11-21T09:00:00.000Z' }),
        counts: z.array(z.object({ channel: Channel, status: ActivityStatus, count: z.int() })),
      }),
    ),
  })
  .meta({ id: 'ActivitySummary' })

export const summarizeActivity = defineRoute({
  name: 'summarizeActivity',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/activity/summary',
  summary: 'Count items by channel and present status, for each hour or day (UTC) of their creation',
  auth: operator('activity:read'),
  query: z
    .strictObject({
      interval: z.enum(['hour', 'day']).default('hour'),
      from: activityFilters.from.meta({
        description: `Rounded down to the interval. Default: 24 hours or 30 days before to. At most ${mostBuckets} intervals.`,
      }),
      to: activityFilters.to.meta({ description: 'Rounded up to the interval. Default: now.' }),
      channel: activityFilters.channel,
      status: activityFilters.status,
      application_id: activityFilters.application_id,
      mode: activityFilters.mode,
    })
    .refine(isRange, notARange),
  responses: { 200: ActivitySummary },
  errors: [],
})
