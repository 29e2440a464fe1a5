import { z } from 'zod'
import { ActivityItem, activityFilters, isRange, notARange } from './activity.ts'
import { defineRoute, operator } from './route.ts'

/** An item in an export. */
export const ExportedItem = ActivityItem.extend({
  provider_id: z.string().nullable().meta({ description: 'Of the last attempt; null where no carrier is called' }),
  provider_name: z.string().nullable(),
  credits: z.int().nullable().meta({ description: 'Credits charged; null for codes older than 30 days' }),
  segments: z.int().nullable().meta({
    description:
      'Parts of an SMS, of a code those of all its messages; null for other channels, and once the message is deleted',
  }),
  cost: z
    .string()
    .nullable()
    .meta({
      description:
        'By the price list, once a carrier has taken it; null without a price, for test keys, for codes older than 30 days, ' +
        'and for SMS and WhatsApp messages that are deleted: 30 days after their end by default',
      example: '0.05',
    }),
  currency: z.string().nullable(),
}).meta({ id: 'ExportedItem' })
export type ExportedItem = z.infer<typeof ExportedItem>

/** The columns of CSV, in their order: readers may know them by their positions, so new ones come last. */
export const exportedColumns = [
  'transaction_id',
  'created_at',
  'application_name',
  'event_key',
  'mode',
  'channel',
  'recipient_masked',
  'recipient_tag',
  'status',
  'failure_reason',
  'retryable',
  'retry_count',
  'locale',
  'broadcast_id',
  'digest_id',
  'provider_id',
  'provider_name',
  'credits',
  'cost',
  'currency',
  'segments',
] as const satisfies readonly (keyof ExportedItem)[]

export const exportActivity = defineRoute({
  name: 'exportActivity',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/activity/export',
  summary: 'Export the activity as a file, newest first',
  auth: operator('activity:read'),
  query: z
    .strictObject({ ...activityFilters, format: z.enum(['csv', 'ndjson']).default('csv') })
    .refine(isRange, notARange),
  responseType: 'text/csv',
  download: true,
  otherResponseTypes: ['application/x-ndjson'],
  line: ExportedItem,
  columns: exportedColumns,
  responses: {
    200: z.string().meta({
      description:
        'CSV (RFC 4180) with a header line, or one JSON object (an ExportedItem) per line. In CSV a cell that begins with =, +, - or @ ' +
        'has an apostrophe before it, so that no spreadsheet runs it. If the connection breaks, the file is incomplete.',
    }),
  },
  errors: ['export_limit_reached'],
})
