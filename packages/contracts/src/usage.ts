import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { idSchema } from './ids.ts'
import { listQuery } from './list.ts'
import { defineRoute, operator } from './route.ts'

/** Postgres has no year 0. */
const Day = z.iso
  .date()
  .refine((text) => text >= '1970', 'must be a day from 1970 to 9999')
  .meta({ example: '2026-11-01' })
/** Of a question, with its defaults. */
export const longestUsageDays = 366

export const UsageItem = z
  .object({
    period: z.string().meta({ description: 'Day or month in UTC', example: '2026-11-01' }),
    application_id: idSchema('app'),
    channel: Channel,
    category: z.string().nullable().meta({ description: 'Category of the WhatsApp template; null for other channels' }),
    messages: z.int(),
    credits: z.int(),
  })
  .meta({ id: 'UsageItem' })
export type UsageItem = z.output<typeof UsageItem>

export const usageQuery = z
  .strictObject({
    from: Day.optional().meta({ description: 'First day, UTC. Default: the first of the month of `to`.' }),
    to: Day.optional().meta({ description: 'Last day, UTC. Default: today.' }),
    interval: z.enum(['day', 'month']).default('day').meta({ description: 'Length of a period' }),
    application_id: idSchema('app').optional().meta({ description: 'Usage of this application' }),
    channel: Channel.optional().meta({ description: 'Usage of this channel' }),
    ...listQuery,
  })
  .superRefine(({ from, to }, issues) => {
    if (from === undefined || to === undefined) return
    if (to < from) issues.addIssue({ code: 'custom', path: ['to'], message: 'must not be before from' })
  })

export const getUsage = defineRoute({
  name: 'getUsage',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/usage',
  summary: 'List messages and credits by period, application, channel and category',
  auth: operator('usage:read'),
  query: usageQuery,
  responses: {
    200: z
      .object({
        from: Day,
        to: Day,
        totals: z.object({ messages: z.int(), credits: z.int() }).meta({ description: 'Of all pages' }),
        items: z.array(UsageItem),
        next_cursor: z.string().nullable(),
      })
      .meta({ id: 'Usage' }),
  },
  errors: [],
})

export const UsageLocale = z
  .object({
    period: z.string().meta({ description: 'Day or month in UTC', example: '2026-11-01' }),
    application_id: idSchema('app'),
    channel: Channel,
    locale: z.string().meta({ description: 'Language of the text' }),
    messages: z.int(),
    credits: z.int(),
  })
  .meta({ id: 'UsageLocale' })
export type UsageLocale = z.output<typeof UsageLocale>

export const listUsageLocales = defineRoute({
  name: 'listUsageLocales',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/usage/locales',
  summary:
    'List messages and credits by period, application, channel and language, of messages whose language is known',
  auth: operator('usage:read'),
  query: usageQuery,
  responses: {
    200: z
      .object({ from: Day, to: Day, items: z.array(UsageLocale), next_cursor: z.string().nullable() })
      .meta({ id: 'UsageLocales' }),
  },
  errors: [],
})
