import { z } from 'zod'
import { basedOn } from './based-on.ts'
import { Channel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { byLocale } from './locale.ts'
import { defineRoute, NoContent, operator } from './route.ts'
import { oneLinePattern, Timestamp } from './text.ts'
import { mostTranslations } from './translations.ts'

/** Topic keys such as `newsletter`. */
export const TopicKey = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
  .meta({ description: 'Key of a topic of the application', example: 'newsletter' })

/**
 * `required`: always sent, recipients cannot switch it off. `on`: sent until the recipient switches it off. `off`: sent once the
 * recipient has switched it on.
 */
export const TopicKind = z.enum(['required', 'on', 'off'])
export type TopicKind = z.infer<typeof TopicKind>

const oneLine = 'must be one line without control characters'
const words = {
  name: z.string().trim().min(1).max(100).regex(oneLinePattern, oneLine).meta({ example: 'Newsletter' }),
  description: z.string().trim().max(300).regex(oneLinePattern, oneLine).meta({ example: 'New products, once a week' }),
}

/** The words of a topic by locale. */
export const TopicTranslations = byLocale(
  z.strictObject({ name: words.name, description: words.description.default('') }),
)
  .refine((all) => Object.keys(all).length <= mostTranslations, `must have at most ${mostTranslations} locales`)
  .meta({
    description: `Name and description by locale, at most ${mostTranslations}`,
    example: { de: { name: 'Rundbrief', description: 'Neue Produkte, einmal in der Woche' } },
  })
export type TopicTranslations = z.output<typeof TopicTranslations>

const content = {
  name: words.name,
  description: words.description.default('').meta({ description: 'What recipients read below the name' }),
  kind: TopicKind.default('on'),
  channels: z
    .array(Channel)
    .min(1)
    .max(20)
    .transform((channels) => [...new Set(channels)])
    .meta({
      description: 'Channels for which recipients may switch it; unless it is required, it is sent by these alone',
      example: Channel.options.slice(0, 1),
    }),
  position: z.int().min(0).max(9999).default(0).meta({ description: 'Topics are shown by position, then by key' }),
  translations: TopicTranslations.default({}),
}

/** The editable part of a topic. */
export const TopicContent = z.strictObject(content).meta({ id: 'TopicContent' })
export type TopicContent = z.output<typeof TopicContent>

export const NewTopic = z.strictObject({ topic_key: TopicKey, ...content }).meta({ id: 'NewTopic' })

export const Topic = z
  .object({
    application_id: idSchema('app'),
    topic_key: TopicKey,
    name: z.string(),
    description: z.string(),
    kind: TopicKind,
    channels: z.array(Channel),
    position: z.int(),
    translations: TopicTranslations,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Topic' })
export type Topic = z.output<typeof Topic>

const auth = operator('topics:manage')
const listPath = '/api/v1/applications/:application_id/topics'
const path = `${listPath}/:topic_key` as const
const listParams = z.object({ application_id: givenId('app') })
const params = z.object({ application_id: givenId('app'), topic_key: z.string() })

export const listTopics = defineRoute({
  name: 'listTopics',
  service: 'dispatch',
  method: 'GET',
  path: listPath,
  summary: 'List the topics of an application by key',
  auth,
  params: listParams,
  query: z.strictObject(listQuery),
  responses: { 200: pageOf(Topic).meta({ id: 'TopicList' }) },
  errors: ['not_found'],
})

export const createTopic = defineRoute({
  name: 'createTopic',
  service: 'dispatch',
  method: 'POST',
  path: listPath,
  summary: 'Create a topic, which recipients may switch off',
  auth,
  params: listParams,
  body: NewTopic,
  responses: { 201: Topic },
  errors: ['not_found', 'topic_exists', 'topic_limit_reached', ...idempotencyErrors],
})

export const getTopic = defineRoute({
  name: 'getTopic',
  service: 'dispatch',
  method: 'GET',
  path,
  summary: 'Retrieve a topic',
  auth,
  params,
  responses: { 200: Topic },
  errors: ['not_found', 'topic_not_found'],
})

export const replaceTopic = defineRoute({
  name: 'replaceTopic',
  service: 'dispatch',
  method: 'PUT',
  path,
  summary: 'Change a topic. It takes effect for accepted messages too.',
  auth,
  params,
  query: basedOn,
  body: TopicContent,
  responses: { 200: Topic },
  errors: ['not_found', 'topic_not_found', 'topic_in_use', 'edit_conflict'],
})

export const deleteTopic = defineRoute({
  name: 'deleteTopic',
  service: 'dispatch',
  method: 'DELETE',
  path,
  summary: 'Delete a topic that no event names. The choices of recipients are kept, for a topic of the same key.',
  auth,
  params,
  responses: { 204: NoContent },
  errors: ['not_found', 'topic_not_found', 'topic_in_use'],
})
