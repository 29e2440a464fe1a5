import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { UserId } from './inbox.ts'
import { listQuery, pageOf } from './list.ts'
import { RecipientToken } from './recipient-token.ts'
import { apiKey, apiKeyOrOperator, defineRoute, operator, user } from './route.ts'
import { MomentText, Timestamp } from './text.ts'
import { TopicKey, TopicKind } from './topics.ts'

/** Stands for every topic, or every channel. */
export const anyOne = '*'

export const PreferenceState = z.enum(['on', 'off'])
export type PreferenceState = z.infer<typeof PreferenceState>

/** Through what a choice was made. */
export const PreferenceSource = z.enum(['page', 'one_click', 'api', 'operator', 'import', 'keyword'])
export type PreferenceSource = z.infer<typeof PreferenceSource>

const any = z.literal(anyOne)
/** The messages that a choice is about. */
export const preferenceScope = {
  topic: z.union([any, TopicKey]).meta({ description: 'A topic_key, or * for every topic', example: 'newsletter' }),
  channel: z.union([any, Channel]).meta({ description: 'A channel, or * for every channel', example: 'email' }),
}

/** A choice of a person. */
export const PreferenceRule = z
  .object({ ...preferenceScope, state: PreferenceState, source: PreferenceSource, changed_at: Timestamp })
  .meta({ id: 'PreferenceRule' })
export type PreferenceRule = z.output<typeof PreferenceRule>

/** What decides for one channel of a topic. */
const Switch = z.object({
  channel: Channel,
  state: PreferenceState,
  /** Whether a wider `off` overrides it. */
  overridden: z.boolean().meta({ description: 'Whether a choice for every topic or every channel switches it off' }),
})

export const Preferences = z
  .object({
    topics: z.array(
      z.object({
        topic_key: TopicKey,
        name: z.string(),
        description: z.string(),
        kind: TopicKind,
        channels: z.array(Switch),
      }),
    ),
    rules: z
      .array(PreferenceRule)
      .meta({ description: 'The choices themselves; a topic without one follows its kind' }),
  })
  .meta({ id: 'Preferences' })
export type Preferences = z.output<typeof Preferences>

/** Most choices of one request. */
export const mostPreferenceChanges = 100

const Change = z.strictObject({
  ...preferenceScope,
  state: PreferenceState.nullable().meta({ description: 'null removes the choice, so that wider ones decide' }),
})

/** Choices to make, each in place of the one of the same topic and channel. */
export const PreferenceChanges = z
  .strictObject({ rules: z.array(Change).min(1).max(mostPreferenceChanges) })
  .meta({ id: 'PreferenceChanges' })
export type PreferenceChanges = z.output<typeof PreferenceChanges>

/** An address as it is written in requests: an email address, a number in E.164, or a URL. */
const Address = z
  .string()
  .min(1)
  .max(2048)
  .meta({ description: 'Email address or E.164 number', example: 'ada@shop.example' })

/** Whose choices: a user, an address, or both where both are known. */
const subject = { user_id: UserId.optional(), address: Address.optional() }
type Names = Partial<Record<'user_id' | 'address' | 'user_token' | 'address_token', string | undefined>>
const isNamed = ({ user_id, address, user_token, address_token }: Names) =>
  [user_id, address, user_token, address_token].some((name) => name !== undefined)
const named = { error: 'must name user_id or address', path: ['user_id'] }

const key = apiKey('recipients:manage')
const userParams = z.object({ user_id: z.string() })
/** Why a choice is refused. */
export const preferenceErrors = ['topic_not_found', 'topic_is_required'] as const
const Language = z.string().max(35).optional().meta({ description: 'Language of names and descriptions, BCP 47' })

export const getOwnPreferences = defineRoute({
  name: 'getOwnPreferences',
  service: 'inbox-stream',
  method: 'GET',
  path: '/api/v1/preferences',
  summary: "Retrieve the user's own preferences",
  auth: user,
  query: z.strictObject({ locale: Language }),
  responses: { 200: Preferences },
  errors: [],
})

export const changeOwnPreferences = defineRoute({
  name: 'changeOwnPreferences',
  service: 'inbox-stream',
  method: 'PATCH',
  path: '/api/v1/preferences',
  summary: "Change the user's own preferences. Messages that are not sent yet follow them.",
  auth: user,
  query: z.strictObject({ locale: Language }),
  body: PreferenceChanges,
  responses: { 200: Preferences },
  errors: [...preferenceErrors],
})

export const getUserPreferences = defineRoute({
  name: 'getUserPreferences',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/users/:user_id/preferences',
  summary: 'Retrieve the preferences of a user',
  auth: key,
  params: userParams,
  query: z.strictObject({ locale: Language }),
  responses: { 200: Preferences },
  errors: [],
})

export const changeUserPreferences = defineRoute({
  name: 'changeUserPreferences',
  service: 'dispatch',
  method: 'PATCH',
  path: '/api/v1/users/:user_id/preferences',
  summary: 'Change the preferences of a user. Messages that are not sent yet follow them.',
  auth: key,
  params: userParams,
  query: z.strictObject({ locale: Language }),
  body: PreferenceChanges,
  responses: { 200: Preferences },
  errors: [...preferenceErrors],
})

export const lookUpPreferences = defineRoute({
  name: 'lookUpPreferences',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/preferences/lookup',
  summary: 'Retrieve the preferences of an address, of a user, or of both together',
  auth: key,
  body: z.strictObject({ ...subject, locale: Language }).refine(isNamed, named),
  responses: { 200: Preferences },
  errors: idempotencyErrors,
})

/** Most choices of one import. */
export const mostImportedPreferences = 1000

export const importPreferences = defineRoute({
  name: 'importPreferences',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/preferences/import',
  summary: 'Import up to 1,000 choices of people: all of them or, where one is invalid, none',
  auth: key,
  maxBodyBytes: 1024 * 1024,
  body: z.strictObject({
    rules: z
      .array(
        z
          .strictObject({
            ...subject,
            ...Change.shape,
            changed_at: MomentText.optional().meta({
              description: 'When the person chose. A later choice that is known already stays. Default: now.',
            }),
          })
          .refine(isNamed, named)
          .refine(({ user_id, address }) => user_id === undefined || address === undefined, {
            error: 'must not be given together with user_id',
            path: ['address'],
          }),
      )
      .min(1)
      .max(mostImportedPreferences, `must have at most ${mostImportedPreferences} entries`),
  }),
  responses: {
    200: z.object({ changed: z.int(), unchanged: z.int() }).meta({ id: 'PreferenceImport' }),
  },
  errors: [...preferenceErrors, ...idempotencyErrors],
})

/** What a rule of precedence found. */
const Consideration = z.object({
  check: z.enum(['suppression', 'consent', 'topic', 'choice', 'kind']),
  outcome: z
    .enum(['stops', 'sends', 'passes'])
    .meta({ description: 'passes: it does not apply, the next one is asked' }),
  detail: z.string(),
  rule: z
    .object({
      of: z.enum(['user', 'address']),
      ...preferenceScope,
      state: PreferenceState,
      source: PreferenceSource,
      changed_at: Timestamp,
    })
    .optional()
    .meta({ description: 'The choice that was looked at' }),
  decided: z.boolean(),
})

export const PreferenceExplanation = z
  .object({ sends: z.boolean(), considered: z.array(Consideration) })
  .meta({ id: 'PreferenceExplanation' })
export type PreferenceExplanation = z.output<typeof PreferenceExplanation>

export const explainPreference = defineRoute({
  name: 'explainPreference',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/preferences/explain',
  summary:
    'Explain whether a message of a topic would be sent: everything that is looked at, in its order, and what decides',
  auth: apiKeyOrOperator('recipients:manage', 'consents:read'),
  body: z
    .strictObject({
      application_id: idSchema('app').optional().meta({ description: 'Required for operators' }),
      ...subject,
      user_token: RecipientToken.optional().meta({ description: 'In place of user_id: see POST /recipients/lookup' }),
      address_token: RecipientToken.optional().meta({
        description: 'In place of address: see POST /recipients/lookup',
      }),
      topic: TopicKey.optional().meta({ description: 'Absent: a message without a topic' }),
      channel: Channel,
    })
    .refine(isNamed, named)
    .refine(({ user_id, user_token }) => user_id === undefined || user_token === undefined, {
      error: 'must not be given together with user_id',
      path: ['user_token'],
    })
    .refine(({ address, address_token }) => address === undefined || address_token === undefined, {
      error: 'must not be given together with address',
      path: ['address_token'],
    }),
  responses: { 200: PreferenceExplanation },
  errors: ['topic_not_found', ...idempotencyErrors],
})

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
  query: z.strictObject({ locale: Language }),
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
