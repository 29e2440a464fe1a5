import { z } from 'zod'
import { givenId } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { PreferenceSource, PreferenceState, Preferences, preferenceScope, TopicLanguage } from './preferences.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

/** An entry of the evidence: a choice that a person made, or that was made for one. */
export const PreferenceEntry = z
  .object({
    ...preferenceScope,
    before: PreferenceState.nullable().meta({ description: 'null: there was no choice' }),
    after: PreferenceState.nullable().meta({ description: 'null: the choice was removed' }),
    source: PreferenceSource,
    actor: z.string().nullable().meta({ description: 'The API key that made it; null: the person' }),
    changed_at: Timestamp,
  })
  .meta({ id: 'PreferenceEntry' })
export type PreferenceEntry = z.output<typeof PreferenceEntry>

const reader = operator('consents:read')
const recipientPath = '/api/v1/applications/:application_id/recipients/:recipient_token'
const recipientParams = z.object({
  application_id: givenId('app'),
  recipient_token: z.string().meta({ description: 'Of the user id or the address: see POST /recipients/lookup' }),
})

export const getRecipientPreferences = defineRoute({
  name: 'getRecipientPreferences',
  service: 'dispatch',
  method: 'GET',
  path: `${recipientPath}/preferences`,
  summary: 'Retrieve the preferences of the user or the address that a token stands for, in live mode',
  auth: reader,
  params: recipientParams,
  query: z.strictObject({ locale: TopicLanguage }),
  responses: { 200: Preferences },
  errors: ['not_found'],
})

export const listPreferenceChanges = defineRoute({
  name: 'listPreferenceChanges',
  service: 'dispatch',
  method: 'GET',
  path: `${recipientPath}/preference-changes`,
  summary: 'List every choice of the user or the address that a token stands for, newest first',
  auth: reader,
  params: recipientParams,
  query: z.strictObject(listQuery),
  responses: { 200: pageOf(PreferenceEntry).meta({ id: 'PreferenceEntryList' }) },
  errors: ['not_found'],
})
