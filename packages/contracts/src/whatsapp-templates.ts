import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

/** What a template says, with its placeholders in double braces. */
export const WhatsAppTemplateContent = z
  .object({
    header: z
      .object({
        format: z.string().meta({ description: 'In lower case: `text`, `image`, `video`, `document` or `location`' }),
        text: z.string().nullable().meta({ description: 'Null where the header is a file' }),
      })
      .nullable(),
    body: z.string(),
    footer: z.string().nullable(),
    buttons: z.array(
      z.object({
        type: z
          .string()
          .meta({ description: 'In lower case, as the carrier says it: `url`, `quick_reply`, `copy_code`…' }),
        text: z.string(),
        url: z.string().nullable(),
      }),
    ),
    other_components: z.array(z.string()).optional().meta({
      description: 'Further components in lower case, such as `carousel`; a template that has any cannot be sent',
    }),
  })
  .meta({ id: 'WhatsAppTemplateContent' })
export type WhatsAppTemplateContent = z.output<typeof WhatsAppTemplateContent>

/** What a send must fill of a template. */
export const WhatsAppPlaceholders = z
  .object({
    header: z
      .object({
        type: z.string(),
        name: z.string().nullable().meta({ description: 'Of a named placeholder in a text' }),
      })
      .nullable(),
    body: z.array(z.string()).meta({ description: '`1`, `2`…, or the names' }),
    buttons: z.array(z.object({ index: z.int(), type: z.string(), text: z.string() })),
  })
  .meta({ id: 'WhatsAppPlaceholders' })
export type WhatsAppPlaceholders = z.output<typeof WhatsAppPlaceholders>

export const WhatsAppTemplate = z
  .object({
    provider_id: idSchema('prov'),
    name: z.string(),
    language: z.string(),
    status: z.string().meta({ description: "The carrier's state in lower case; only `approved` templates are sent" }),
    category: z.string(),
    quality: z.string().nullable(),
    content: WhatsAppTemplateContent.nullable().meta({ description: 'Null until the account has been read' }),
    placeholders: WhatsAppPlaceholders.nullable(),
    reported_at: Timestamp,
  })
  .meta({ id: 'WhatsAppTemplate' })

export const listWhatsAppTemplates = defineRoute({
  name: 'listWhatsAppTemplates',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/whatsapp/templates',
  summary: 'List WhatsApp templates with their approval state',
  auth: operator('providers:manage'),
  query: z.strictObject(listQuery),
  responses: { 200: pageOf(WhatsAppTemplate) },
  errors: [],
})

export const syncWhatsAppTemplates = defineRoute({
  name: 'syncWhatsAppTemplates',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/whatsapp/templates/sync',
  summary: 'Synchronize WhatsApp templates of all accounts with the carrier',
  auth: operator('providers:manage'),
  responses: {
    202: z.object({
      status: z.literal('sync_queued'),
      providers: z.int().meta({ description: 'Number of accounts that are read' }),
    }),
  },
  errors: idempotencyErrors,
})
