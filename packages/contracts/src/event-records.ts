import { z } from 'zod'
import { basedOn } from './based-on.ts'
import { Channel, EventTemplates } from './channels/table.ts'
import { Digest } from './digests.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { defineRoute, operator } from './route.ts'
import { EventKey, Timestamp } from './text.ts'
import { TopicKey } from './topics.ts'
import { besideTranslations, EventTranslations, TranslationWarning } from './translations.ts'

/** `draft`: never published. `inactive`: published before; notifications are refused until it is published again. */
export const EventStatus = z.enum(['draft', 'published', 'inactive'])
export type EventStatus = z.infer<typeof EventStatus>

/** The editable content of an event, which each version keeps. */
const content = {
  name: z.string().trim().min(1).max(200),
  allowed_channels: z
    .array(Channel)
    .max(20)
    .transform((channels) => [...new Set(channels)])
    .default([])
    .meta({ description: 'Channels that notifications of the event may use' }),
  templates: EventTemplates.default({}),
  translations: EventTranslations.optional(),
  topic: TopicKey.nullable()
    .optional()
    .meta({ description: 'Topic that recipients may switch off; null: none. Absent in a request: it stays as it is.' }),
  digest: Digest.nullable().optional().meta({
    description:
      'Puts messages to one recipient together; null: each is sent alone. Absent in a request: it stays as it is.',
  }),
}

/** The editable part of an event. */
export const EventContent = z.strictObject(content).meta({ id: 'EventContent' })
export type EventContent = z.output<typeof EventContent>

/** The highest number of a version. */
export const mostVersions = 1_000_000

/** A new event. Drafts are saved and can be published later; `status` `published` publishes at once. */
export const NewEvent = z
  .strictObject({
    event_key: EventKey,
    ...content,
    status: EventStatus.default('draft').meta({ description: 'Any status but draft publishes the first version' }),
    version: z.int().min(1).max(mostVersions).default(1).meta({ description: 'Number of the first version' }),
  })
  .meta({ id: 'NewEvent' })

const shown = {
  name: z.string(),
  allowed_channels: z.array(Channel),
  templates: EventTemplates,
  translations: EventTranslations,
  topic: z.string().nullable(),
  digest: Digest.nullable(),
}

const described = {
  application_id: idSchema('app'),
  event_key: EventKey,
  name: z.string(),
  status: EventStatus,
  version: z.int().meta({ description: 'The current version. For a draft: the version that publishing creates.' }),
  allowed_channels: z.array(Channel),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const EventRecord = z
  .object({
    ...described,
    templates: EventTemplates,
    translations: EventTranslations,
    topic: z.string().nullable(),
    digest: Digest.nullable(),
    draft: z
      .object(shown)
      .nullable()
      .meta({ description: 'Changes since the current version, which publishing applies. Null: none.' }),
  })
  .meta({ id: 'Event' })
export type EventRecord = z.infer<typeof EventRecord>

/** An event that was published, and what its translations lack. */
export const PublishedEvent = EventRecord.extend({ warnings: z.array(TranslationWarning) }).meta({
  id: 'PublishedEvent',
})

/** An event without its templates, for lists. */
export const EventSummary = z
  .object({
    ...described,
    has_draft: z.boolean().meta({ description: 'Whether there are changes that are not published yet' }),
  })
  .meta({ id: 'EventSummary' })
export type EventSummary = z.infer<typeof EventSummary>

const auth = operator('events:manage')
const listPath = '/api/v1/applications/:application_id/events'
export const eventPath = `${listPath}/:event_key` as const
const path = eventPath
const listParams = z.object({ application_id: givenId('app') })
export const eventParams = z.object({ application_id: givenId('app'), event_key: z.string() })
const params = eventParams
/** Why a version cannot be published. */
export const publishErrors = [
  'topic_not_found',
  'channel_not_allowed',
  'template_category_mismatch',
  'event_version_limit_reached',
  ...idempotencyErrors,
] as const

export const listEvents = defineRoute({
  name: 'listEvents',
  service: 'dispatch',
  method: 'GET',
  path: listPath,
  summary: 'List the events of an application by key',
  auth,
  params: listParams,
  query: z.strictObject({ status: EventStatus.optional(), ...listQuery }),
  responses: {
    200: pageOf(EventSummary).meta({ id: 'EventList' }),
  },
  errors: ['not_found'],
})

export const createEvent = defineRoute({
  name: 'createEvent',
  service: 'dispatch',
  method: 'POST',
  path: listPath,
  summary: 'Create an event of an application',
  auth,
  params: listParams,
  body: NewEvent,
  ...besideTranslations,
  responses: { 201: EventRecord },
  errors: [
    'not_found',
    'event_exists',
    'event_limit_reached',
    'topic_not_found',
    'channel_not_allowed',
    'template_category_mismatch',
    'translation_variable_unknown',
    'translation_limit_reached',
    ...idempotencyErrors,
  ],
})

export const getEvent = defineRoute({
  name: 'getEvent',
  service: 'dispatch',
  method: 'GET',
  path,
  summary: 'Retrieve an event with its templates and its draft',
  auth,
  params,
  responses: { 200: EventRecord },
  errors: ['not_found', 'event_not_found'],
})

export const replaceEvent = defineRoute({
  name: 'replaceEvent',
  service: 'dispatch',
  method: 'PUT',
  path,
  summary: 'Save a draft of an event. Sends use the published version until the draft is published.',
  auth,
  params,
  query: basedOn,
  body: EventContent,
  ...besideTranslations,
  responses: { 200: EventRecord },
  errors: ['not_found', 'event_not_found', 'topic_not_found', 'edit_conflict', 'translation_limit_reached'],
})

export const publishEvent = defineRoute({
  name: 'publishEvent',
  service: 'dispatch',
  method: 'POST',
  path: `${path}/publish`,
  summary: 'Publish the draft of an event as a new version, or activate an inactive event',
  auth,
  params,
  query: basedOn,
  responses: { 200: PublishedEvent },
  errors: ['not_found', 'event_not_found', 'edit_conflict', 'translation_variable_unknown', ...publishErrors],
})

export const deactivateEvent = defineRoute({
  name: 'deactivateEvent',
  service: 'dispatch',
  method: 'POST',
  path: `${path}/deactivate`,
  summary: 'Deactivate an event. Notifications that were accepted before are still sent.',
  auth,
  params,
  responses: { 200: EventRecord },
  errors: ['not_found', 'event_not_found', 'event_not_published', ...idempotencyErrors],
})
