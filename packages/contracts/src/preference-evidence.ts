import { z } from 'zod'
import { givenId } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { KeyMode } from './permissions.ts'
import {
  Frequency,
  PreferenceRule,
  PreferenceSource,
  PreferenceState,
  Preferences,
  preferenceScope,
  TopicLanguage,
} from './preferences.ts'
import { RecipientToken } from './recipient-token.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

const NameKind = z.enum(['user', 'email', 'phone'])
const of = NameKind.nullable().meta({
  description: 'The user id or address that the choice was made for; null: it belongs to no known user',
})

/** A name of a person, and what lists call it. */
const PersonName = z.object({ of: NameKind, recipient_token: RecipientToken, recipient_masked: z.string() })

/** The preferences of a person, under all names that the record of the user links. */
export const RecipientPreferences = Preferences.extend({
  names: z.array(PersonName).meta({
    description: 'The user id and the addresses of the user; empty if no user has this id or address',
  }),
  sharing: z.array(PersonName).meta({
    description: 'The users who share this address, if there are several; their choices are not included',
  }),
  rules: z.array(PreferenceRule.extend({ of })),
}).meta({ id: 'RecipientPreferences' })
export type RecipientPreferences = z.output<typeof RecipientPreferences>
export type PersonName = z.output<typeof PersonName>

/** An entry of the evidence: a choice that a person made, or that was made for one. */
export const PreferenceEntry = z
  .object({
    ...preferenceScope,
    before: PreferenceState.nullable().meta({ description: 'null: there was no choice' }),
    after: PreferenceState.nullable().meta({ description: 'null: the choice was removed' }),
    frequency_before: Frequency.nullable(),
    frequency_after: Frequency.nullable(),
    source: PreferenceSource,
    of,
    actor: z.string().nullable().meta({ description: 'The API key that made it; null: the person' }),
    changed_at: Timestamp,
  })
  .meta({ id: 'PreferenceEntry' })
export type PreferenceEntry = z.output<typeof PreferenceEntry>

/** The mode whose choices are read. */
const ofMode = { mode: KeyMode.default('live').meta({ description: 'Choices made with keys of this mode' }) }

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
  summary:
    'Retrieve the preferences of the user or the address that a token stands for, with what the user record links',
  auth: reader,
  params: recipientParams,
  query: z.strictObject({ ...ofMode, locale: TopicLanguage }),
  responses: { 200: RecipientPreferences },
  errors: ['not_found'],
})

export const listPreferenceChanges = defineRoute({
  name: 'listPreferenceChanges',
  service: 'dispatch',
  method: 'GET',
  path: `${recipientPath}/preference-changes`,
  summary:
    'List every choice of the user or the address that a token stands for, and of what the user record links, newest first',
  auth: reader,
  params: recipientParams,
  query: z.strictObject({ ...ofMode, ...listQuery }),
  responses: { 200: pageOf(PreferenceEntry).meta({ id: 'PreferenceEntryList' }) },
  errors: ['not_found'],
})
