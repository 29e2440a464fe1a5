import { z } from 'zod'
import { basedOn } from './based-on.ts'
import { Channel, EventTemplates } from './channels/table.ts'
import { Digest } from './digests.ts'
import { EventRecord, eventParams, eventPath, mostVersions, publishErrors } from './event-records.ts'
import { listQuery, pageOf, wholeNumber } from './list.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'
import { EventTranslations } from './translations.ts'

const versionFields = {
  version: z.int(),
  name: z.string(),
  allowed_channels: z.array(Channel),
  is_current: z.boolean(),
  published_at: Timestamp,
  published_by: z.string().nullable().meta({ description: 'Operator; null for a version from the bootstrap file' }),
}

/** A published version in a list. */
export const EventVersionSummary = z.object(versionFields).meta({ id: 'EventVersionSummary' })
export type EventVersionSummary = z.infer<typeof EventVersionSummary>

/** A published version. It never changes. */
export const EventVersion = z
  .object({
    ...versionFields,
    templates: EventTemplates,
    translations: EventTranslations,
    topic: z.string().nullable(),
    digest: Digest.nullable(),
  })
  .meta({ id: 'EventVersion' })
export type EventVersion = z.infer<typeof EventVersion>

const auth = operator('events:manage')
const versionParams = eventParams.extend({ version: z.string() })

export const listEventVersions = defineRoute({
  name: 'listEventVersions',
  service: 'dispatch',
  method: 'GET',
  path: `${eventPath}/versions`,
  summary: 'List the published versions of an event, newest first',
  auth,
  params: eventParams,
  query: z.strictObject(listQuery),
  responses: {
    200: pageOf(EventVersionSummary).meta({ id: 'EventVersionList' }),
  },
  errors: ['not_found', 'event_not_found'],
})

export const getEventVersion = defineRoute({
  name: 'getEventVersion',
  service: 'dispatch',
  method: 'GET',
  path: `${eventPath}/versions/:version`,
  summary: 'Retrieve a published version of an event',
  auth,
  params: versionParams,
  responses: { 200: EventVersion },
  errors: ['not_found', 'event_not_found'],
})

export const restoreEventVersion = defineRoute({
  name: 'restoreEventVersion',
  service: 'dispatch',
  method: 'POST',
  path: `${eventPath}/versions/:version/restore`,
  summary: 'Roll back an event: publish the content of an earlier version as a new version. The draft is kept.',
  auth,
  params: versionParams,
  query: basedOn,
  responses: { 200: EventRecord },
  errors: ['not_found', 'event_not_found', 'edit_conflict', ...publishErrors],
})

/** Parses a version number from a path; undefined when it is not a number. */
export function versionOf(text: string): number | undefined {
  return wholeNumber(1, mostVersions).safeParse(text).data
}
