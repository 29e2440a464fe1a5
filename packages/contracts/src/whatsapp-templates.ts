import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

export const WhatsAppTemplate = z
  .object({
    provider_id: idSchema('prov'),
    name: z.string(),
    language: z.string(),
    status: z.string().meta({ description: 'As the carrier says it, in lower case; only `approved` is sent' }),
    category: z.string(),
    quality: z.string().nullable(),
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
      providers: z.int().meta({ description: 'How many accounts are read' }),
    }),
  },
  errors: idempotencyErrors,
})
