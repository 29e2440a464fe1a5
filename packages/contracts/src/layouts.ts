import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf, wholeNumber } from './list.ts'
import { byLocale, Locale, TimeZone } from './locale.ts'
import { defineRoute, NoContent, operator } from './route.ts'
import { Timestamp } from './text.ts'
import { besideTranslations, mostTranslations } from './translations.ts'

/** What stands around the text and the HTML of an email. */
const texts = {
  html_body: z.string().max(200_000).meta({
    description: 'Liquid with the variables of the email. Its HTML stands where `{{ content }}` is, once.',
  }),
  body: z.string().max(20_000).optional().meta({
    description: 'The same for the text of the email. Without it, a text of its own stays as it is.',
  }),
}

/** The texts of a layout in one language. */
export const LayoutTexts = z.strictObject(texts).meta({ id: 'LayoutTexts' })
export type LayoutTexts = z.output<typeof LayoutTexts>

export const LayoutTranslations = byLocale(LayoutTexts).meta({
  description: `Texts by locale, at most ${mostTranslations}. Absent in a request: they stay as they are.`,
})
export type LayoutTranslations = z.output<typeof LayoutTranslations>

const owner = idSchema('app').nullable()

/** The writable fields of a layout. */
export const NewLayout = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    application_id: owner
      .default(null)
      .meta({ description: 'The application that may use the layout. Null: all applications of the tenant.' }),
    ...texts,
    translations: LayoutTranslations.optional(),
  })
  .meta({ id: 'NewLayout' })

const described = {
  layout_id: idSchema('lay'),
  name: z.string(),
  application_id: owner,
  version: z.int().meta({ description: 'Incremented with every change' }),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const StoredLayout = z
  .object({ ...described, ...texts, translations: LayoutTranslations })
  .meta({ id: 'Layout' })
export type StoredLayout = z.infer<typeof StoredLayout>

/** A layout without its texts, for lists. */
export const LayoutSummary = z
  .object({ ...described, locales: z.array(z.string()).meta({ description: 'Languages of its translations' }) })
  .meta({ id: 'LayoutSummary' })
export type LayoutSummary = z.infer<typeof LayoutSummary>

const auth = operator('events:manage')
export const layoutParams = z.object({ layout_id: givenId('lay') })
export const layoutPath = '/api/v1/layouts/:layout_id'
const [params, path] = [layoutParams, layoutPath] as const

export const listLayouts = defineRoute({
  name: 'listLayouts',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/layouts',
  summary: 'List layouts of emails of the tenant, newest first',
  auth,
  query: z.strictObject(listQuery),
  responses: { 200: pageOf(LayoutSummary).meta({ id: 'LayoutList' }) },
  errors: [],
})

export const createLayout = defineRoute({
  name: 'createLayout',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/layouts',
  summary: 'Create a layout of emails',
  auth,
  body: NewLayout,
  ...besideTranslations,
  responses: { 201: StoredLayout },
  errors: ['layout_limit_reached', 'translation_variable_unknown', 'translation_limit_reached', ...idempotencyErrors],
})

export const getLayout = defineRoute({
  name: 'getLayout',
  service: 'dispatch',
  method: 'GET',
  path,
  summary: 'Retrieve a layout',
  auth,
  params,
  responses: { 200: StoredLayout },
  errors: ['not_found'],
})

export const replaceLayout = defineRoute({
  name: 'replaceLayout',
  service: 'dispatch',
  method: 'PUT',
  path,
  summary: 'Replace a layout. Notifications accepted before keep their content.',
  auth,
  params,
  query: z.strictObject({
    expected_version: wholeNumber(1, 999_999_999)
      .optional()
      .meta({ description: 'Version that the request is based on. If the layout has another one: edit_conflict.' }),
  }),
  body: NewLayout,
  ...besideTranslations,
  responses: { 200: StoredLayout },
  errors: [
    ...(['not_found', 'edit_conflict', 'layout_in_use'] as const),
    ...(['translation_variable_unknown', 'translation_limit_reached'] as const),
  ],
})

export const deleteLayout = defineRoute({
  name: 'deleteLayout',
  service: 'dispatch',
  method: 'DELETE',
  path,
  summary: 'Delete a layout that no event and no stored template uses, with its versions',
  auth,
  params,
  responses: { 204: NoContent },
  errors: ['not_found', 'layout_in_use'],
})

export const previewLayout = defineRoute({
  name: 'previewLayout',
  service: 'dispatch',
  method: 'POST',
  path: `${path}/preview`,
  summary: 'Preview a layout around a text, without sending',
  auth,
  params,
  body: z
    .strictObject({
      template_data: z.record(z.string(), z.json()).default({}),
      content: z
        .strictObject({ html_body: z.string().max(200_000), body: z.string().max(100_000).optional() })
        .default({ html_body: '<p>The content of the email.</p>', body: 'The content of the email.' })
        .meta({ description: 'The content to show in the layout. Default: a sentence.' }),
      locale: Locale.optional().meta({
        description: 'Language of the email: shows the translation that an email in this language would get',
      }),
      time_zone: TimeZone.optional().meta({ description: 'Default: UTC' }),
      layout: LayoutTexts.optional().meta({
        description: 'Texts to preview in place of the stored ones. They are not saved.',
      }),
    })
    .meta({ id: 'LayoutPreview' }),
  confidential: true,
  responses: {
    200: z.object({
      layout_id: idSchema('lay'),
      version: z.int().nullable().meta({ description: 'Null: the texts of the request' }),
      rendered: z.object({ html_body: z.string(), body: z.string() }),
      locale: z
        .string()
        .nullable()
        .meta({ description: 'Of the translation; null: the texts that are no translation' }),
    }),
  },
  errors: ['not_found', 'template_variable_missing', ...idempotencyErrors],
})
