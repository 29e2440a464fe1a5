import { z } from 'zod'
import { Channel, EventTemplates } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { mostVersions } from './event-records.ts'
import { givenId } from './ids.ts'
import { previewedFields, previewFields } from './preview.ts'
import { defineRoute, operator } from './route.ts'
import { EventKey } from './text.ts'

export const previewEvent = defineRoute({
  name: 'previewEvent',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/applications/:application_id/events/:event_key/preview',
  summary: 'Preview the templates of an event without sending',
  auth: operator('events:manage'),
  params: z.object({ application_id: givenId('app'), event_key: z.string() }),
  body: z
    .strictObject({
      channel: Channel.optional().meta({ description: 'Channel to preview. Default: all channels with a template.' }),
      data: z.record(z.string(), z.json()).default({}).meta({ description: 'Variables, as in a notification' }),
      ...previewFields,
      version: z.int().min(1).max(mostVersions).optional().meta({
        description: 'Published version to preview. Default: the draft, or the current version without one.',
      }),
      templates: EventTemplates.optional().meta({
        description: 'Templates to preview in place of the stored ones. They are not saved.',
      }),
    })
    .refine(({ version, templates }) => version === undefined || templates === undefined, {
      path: ['version'],
      message: 'cannot be given together with templates',
    })
    .meta({ id: 'EventPreview' }),
  confidential: true,
  responses: {
    200: z.object({
      event_key: EventKey,
      version: z.int().nullable().meta({ description: 'Null: the draft, or the templates of the request' }),
      ...previewedFields,
    }),
  },
  errors: ['not_found', 'event_not_found', 'template_variable_missing', ...idempotencyErrors],
})
