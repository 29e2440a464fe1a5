import { z } from 'zod'
import { Channel, EventTemplates } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf, wholeNumber } from './list.ts'
import { previewedFields, previewFields } from './preview.ts'
import { defineRoute, NoContent, operator } from './route.ts'
import { Timestamp } from './text.ts'
import { besideTranslations, EventTranslations } from './translations.ts'

/**
 * The writable fields of a stored template. Notifications refer to it by `template_id` and fill it with
 * `template_data`.
 */
export const NewTemplate = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    application_id: idSchema('app')
      .nullable()
      .default(null)
      .meta({ description: 'The application that may use the template. Null: all applications of the tenant.' }),
    templates: EventTemplates.refine(
      (templates) => Object.values(templates).some((template) => template !== undefined),
      'must have a template for at least one channel',
    ),
    translations: EventTranslations.optional(),
  })
  .meta({ id: 'NewTemplate' })

const described = {
  template_id: idSchema('tmpl'),
  name: z.string(),
  application_id: z.string().nullable(),
  version: z.int().meta({ description: 'Incremented with every change' }),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const StoredTemplate = z
  .object({ ...described, templates: EventTemplates, translations: EventTranslations })
  .meta({ id: 'Template' })
export type StoredTemplate = z.infer<typeof StoredTemplate>

/** A template without its content, for lists. */
export const TemplateSummary = z.object({ ...described, channels: z.array(Channel) }).meta({ id: 'TemplateSummary' })
export type TemplateSummary = z.infer<typeof TemplateSummary>

const auth = operator('events:manage')
const params = z.object({ template_id: givenId('tmpl') })
const path = '/api/v1/templates/:template_id'

export const listTemplates = defineRoute({
  name: 'listTemplates',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/templates',
  summary: 'List stored templates of the tenant, newest first',
  auth,
  query: z.strictObject(listQuery),
  responses: {
    200: pageOf(TemplateSummary).meta({ id: 'TemplateList' }),
  },
  errors: [],
})

export const createTemplate = defineRoute({
  name: 'createTemplate',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/templates',
  summary: 'Create a stored template',
  auth,
  body: NewTemplate,
  ...besideTranslations,
  responses: { 201: StoredTemplate },
  errors: ['template_limit_reached', 'translation_variable_unknown', 'translation_limit_reached', ...idempotencyErrors],
})

export const getTemplate = defineRoute({
  name: 'getTemplate',
  service: 'dispatch',
  method: 'GET',
  path,
  summary: 'Retrieve a stored template',
  auth,
  params,
  responses: { 200: StoredTemplate },
  errors: ['not_found'],
})

export const replaceTemplate = defineRoute({
  name: 'replaceTemplate',
  service: 'dispatch',
  method: 'PUT',
  path,
  summary: 'Replace a stored template. Notifications accepted before keep their content.',
  auth,
  params,
  query: z.strictObject({
    expected_version: wholeNumber(1, 999_999_999)
      .optional()
      .meta({ description: 'Version that the request is based on. If the template has another one: edit_conflict.' }),
  }),
  body: NewTemplate,
  ...besideTranslations,
  responses: { 200: StoredTemplate },
  errors: ['not_found', 'edit_conflict', 'translation_variable_unknown', 'translation_limit_reached'],
})

export const deleteTemplate = defineRoute({
  name: 'deleteTemplate',
  service: 'dispatch',
  method: 'DELETE',
  path,
  summary: 'Delete a stored template. Notifications accepted before keep their content.',
  auth,
  params,
  responses: { 204: NoContent },
  errors: ['not_found'],
})

export const previewTemplate = defineRoute({
  name: 'previewTemplate',
  service: 'dispatch',
  method: 'POST',
  path: `${path}/preview`,
  summary: 'Preview a stored template without sending',
  auth,
  params,
  body: z
    .strictObject({
      channel: Channel.optional().meta({ description: 'Channel to preview. Default: all channels of the template.' }),
      template_data: z.record(z.string(), z.json()).default({}),
      ...previewFields,
      templates: EventTemplates.optional().meta({
        description: 'Templates to preview in place of the stored ones. They are not saved.',
      }),
    })
    .meta({ id: 'TemplatePreview' }),
  confidential: true,
  responses: {
    200: z.object({
      template_id: idSchema('tmpl'),
      version: z.int().nullable().meta({ description: 'Null: the templates of the request' }),
      ...previewedFields,
    }),
  },
  errors: ['not_found', 'template_variable_missing', ...idempotencyErrors],
})
