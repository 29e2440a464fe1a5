import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { idSchema } from './ids.ts'
import { modeFilter } from './permissions.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

/** The periods, each with the number of its buckets. */
export const failurePeriods = { '24h': 24, '7d': 7, '30d': 30 } as const
export type FailurePeriod = keyof typeof failurePeriods

export const FailureGroup = z
  .object({
    provider_id: idSchema('prov'),
    provider_name: z.string(),
    kind: z.string(),
    channel: Channel,
    code: z.string().meta({ description: "The carrier's code, or ours where the carrier gave none" }),
    meaning: z.string().nullable().meta({ description: 'The latest reason for this code' }),
    failures: z.int().meta({ description: 'Attempts that the carrier refused, and messages that it reported as lost' }),
    failures_before: z.int().meta({ description: 'In the period of the same length before' }),
    buckets: z.array(z.int()).meta({ description: 'Failures of each hour (24h) or day, oldest first' }),
    last_at: Timestamp.meta({ description: 'Hour of the last one' }),
  })
  .meta({ id: 'FailureGroup' })
export type FailureGroup = z.infer<typeof FailureGroup>

export const listFailures = defineRoute({
  name: 'listFailures',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/failures',
  summary: 'List the most frequent failures by provider and code of the carrier, with their trend',
  auth: operator('activity:read'),
  query: z.strictObject({
    period: z
      .enum(Object.keys(failurePeriods) as [FailurePeriod, ...FailurePeriod[]])
      .default('24h')
      .meta({ description: 'How far back' }),
    channel: Channel.optional(),
    provider_id: idSchema('prov').optional(),
    ...modeFilter,
  }),
  responses: {
    200: z.object({
      from: Timestamp,
      to: Timestamp,
      items: z.array(FailureGroup).meta({
        description:
          'The 100 most frequent. Test keys reach the sandbox only: their failures count under the provider that it stands for.',
      }),
    }),
  },
  errors: [],
})
