import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { givenId } from './ids.ts'
import { Locale } from './locale.ts'
import { defineRoute, operator } from './route.ts'

const texts = z.record(z.string().max(500), z.string().max(200_000)).meta({
  description: 'Texts by their location in the templates',
  example: { 'email.subject': 'Pedido {{order}}', 'email.body': 'Olá {{name}}' },
})

const basedOn = z.string().max(500).meta({
  description: 'The state of the templates that the texts were made from. Opaque; compared with their present state.',
})

/** A translation as translators keep it in a file. What is read can be sent back. */
export const TranslationFile = z.object({ based_on: basedOn, texts }).meta({ id: 'TranslationFile' })
export type TranslationFile = z.output<typeof TranslationFile>

const NewTranslationFile = z
  .strictObject({
    based_on: basedOn.optional().meta({ description: 'As read before. Default: the present templates' }),
    texts: texts.meta({
      description:
        'Texts by location: all texts of a channel or none of them. Without texts the translation is removed',
    }),
  })
  .meta({ id: 'NewTranslationFile' })

/** The texts to translate, and how far each language has got. */
export const TranslationCoverage = z
  .object({
    based_on: basedOn,
    texts: texts.meta({ description: 'The texts of the templates, as the start of a new translation' }),
    translations: z.array(
      z.object({
        locale: z.string(),
        channels: z.array(Channel),
        missing_channels: z.array(Channel).meta({ description: 'They are sent in another language' }),
        outdated_channels: z.array(Channel).meta({ description: 'Their templates have changed since' }),
      }),
    ),
  })
  .meta({ id: 'TranslationCoverage' })
export type TranslationCoverage = z.output<typeof TranslationCoverage>

const auth = operator('events:manage')
const eventPath = '/api/v1/applications/:application_id/events/:event_key/translations'
const eventParams = z.object({ application_id: givenId('app'), event_key: z.string() })
const templatePath = '/api/v1/templates/:template_id/translations'
const templateParams = z.object({ template_id: givenId('tmpl') })
const refusals = ['translation_variable_unknown', 'translation_limit_reached'] as const

export const listEventTranslations = defineRoute({
  name: 'listEventTranslations',
  service: 'dispatch',
  method: 'GET',
  path: eventPath,
  summary: 'List the translations of an event: of its draft, or of the current version without one',
  auth,
  params: eventParams,
  responses: { 200: TranslationCoverage },
  errors: ['not_found', 'event_not_found'],
})

export const getEventTranslation = defineRoute({
  name: 'getEventTranslation',
  service: 'dispatch',
  method: 'GET',
  path: `${eventPath}/:locale`,
  summary: 'Retrieve a translation of an event as a file for translators',
  auth,
  params: eventParams.extend({ locale: Locale }),
  responses: { 200: TranslationFile },
  errors: ['not_found', 'event_not_found'],
})

export const putEventTranslation = defineRoute({
  name: 'putEventTranslation',
  service: 'dispatch',
  method: 'PUT',
  path: `${eventPath}/:locale`,
  summary: 'Save a translation in the draft of an event. Sends use it once the draft is published.',
  auth,
  params: eventParams.extend({ locale: Locale }),
  body: NewTranslationFile,
  responses: { 200: TranslationFile },
  errors: ['not_found', 'event_not_found', ...refusals],
})

export const listTemplateTranslations = defineRoute({
  name: 'listTemplateTranslations',
  service: 'dispatch',
  method: 'GET',
  path: templatePath,
  summary: 'List the translations of a stored template',
  auth,
  params: templateParams,
  responses: { 200: TranslationCoverage },
  errors: ['not_found'],
})

export const getTemplateTranslation = defineRoute({
  name: 'getTemplateTranslation',
  service: 'dispatch',
  method: 'GET',
  path: `${templatePath}/:locale`,
  summary: 'Retrieve a translation of a stored template as a file for translators',
  auth,
  params: templateParams.extend({ locale: Locale }),
  responses: { 200: TranslationFile },
  errors: ['not_found'],
})

export const putTemplateTranslation = defineRoute({
  name: 'putTemplateTranslation',
  service: 'dispatch',
  method: 'PUT',
  path: `${templatePath}/:locale`,
  summary: 'Save a translation of a stored template; sends use it at once',
  auth,
  params: templateParams.extend({ locale: Locale }),
  body: NewTranslationFile,
  responses: { 200: TranslationFile },
  errors: ['not_found', 'edit_conflict', ...refusals],
})
