import { z } from 'zod'
import { LayoutTexts, LayoutTranslations, layoutParams, layoutPath, StoredLayout } from './layouts.ts'
import { listQuery, pageOf } from './list.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

const { name, application_id } = StoredLayout.shape

const versionFields = {
  version: z.int(),
  name,
  application_id,
  is_current: z.boolean(),
  saved_at: Timestamp,
  saved_by: z.string().meta({ description: 'Operator' }),
}

/** A version of a layout in a list. */
export const LayoutVersionSummary = z.object(versionFields).meta({ id: 'LayoutVersionSummary' })
export type LayoutVersionSummary = z.infer<typeof LayoutVersionSummary>

/** A version of a layout. It never changes. */
export const LayoutVersion = z
  .object({ ...versionFields, ...LayoutTexts.shape, translations: LayoutTranslations })
  .meta({ id: 'LayoutVersion' })
export type LayoutVersion = z.infer<typeof LayoutVersion>

const auth = operator('events:manage')

export const listLayoutVersions = defineRoute({
  name: 'listLayoutVersions',
  service: 'dispatch',
  method: 'GET',
  path: `${layoutPath}/versions`,
  summary: 'List the versions of a layout, newest first',
  auth,
  params: layoutParams,
  query: z.strictObject(listQuery),
  responses: { 200: pageOf(LayoutVersionSummary).meta({ id: 'LayoutVersionList' }) },
  errors: ['not_found'],
})

export const getLayoutVersion = defineRoute({
  name: 'getLayoutVersion',
  service: 'dispatch',
  method: 'GET',
  path: `${layoutPath}/versions/:version`,
  summary: 'Retrieve a version of a layout',
  auth,
  params: layoutParams.extend({ version: z.string() }),
  responses: { 200: LayoutVersion },
  errors: ['not_found'],
})
