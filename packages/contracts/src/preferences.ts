import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { UserId } from './inbox.ts'
import { Locale } from './locale.ts'
import { apiKey, defineRoute, user } from './route.ts'
import { e164Pattern, mailboxPattern, Timestamp, UtcMoment } from './text.ts'
import { TopicKey, TopicKind } from './topics.ts'

/** Stands for every topic, or every channel. */
export const anyOne = '*'

export const PreferenceState = z.enum(['on', 'off'])
export type PreferenceState = z.infer<typeof PreferenceState>

/** Through what a choice was made. */
export const PreferenceSource = z.enum(['page', 'one_click', 'api', 'operator', 'import', 'keyword'])
export type PreferenceSource = z.infer<typeof PreferenceSource>

/** How often a person wants the messages of a topic that are put together in digests; `instant`: each alone, at once. */
export const Frequency = z.enum(['instant', 'hourly', 'daily', 'weekly'])
export type Frequency = z.infer<typeof Frequency>

const any = z.literal(anyOne)
/** The messages that a choice is about. */
export const preferenceScope = {
  topic: z.union([any, TopicKey]).meta({ description: 'A topic_key, or * for every topic', example: 'newsletter' }),
  channel: z.union([any, Channel]).meta({ description: 'A channel, or * for every channel', example: 'email' }),
}

/** A choice of a person. */
export const PreferenceRule = z
  .object({
    ...preferenceScope,
    state: PreferenceState,
    frequency: Frequency.nullable().meta({ description: 'null: as the event says' }),
    source: PreferenceSource,
    changed_at: Timestamp,
  })
  .meta({ id: 'PreferenceRule' })
export type PreferenceRule = z.output<typeof PreferenceRule>

/** What decides for one channel of a topic. */
const Switch = z.object({
  channel: Channel,
  state: PreferenceState,
  /** Whether a wider `off` overrides it. */
  overridden: z
    .boolean()
    .meta({ description: 'Whether a choice `off` for all topics or all channels overrides this one' }),
  digests: z
    .boolean()
    .meta({ description: 'Whether an event combines its messages in digests, so that a frequency has an effect' }),
  frequency: Frequency.nullable().meta({
    description: 'Frequency of the most specific choice; null: the window of the event',
  }),
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
  state: PreferenceState.nullable().meta({
    description: 'null removes the choice, so that the choices for `*` decide',
  }),
  frequency: Frequency.nullable().optional().meta({
    description: 'Window of digests, with state on; null: as the event says. Absent: it stays as it is.',
  }),
})

const hasFrequency = ({ state, frequency }: { state: string | null; frequency?: string | null | undefined }) =>
  state === 'on' || typeof frequency !== 'string'
const notOn = { error: 'requires state on', path: ['frequency'] }

/** Choices to make, each in place of the one of the same topic and channel. */
export const PreferenceChanges = z
  .strictObject({ rules: z.array(Change.refine(hasFrequency, notOn)).min(1).max(mostPreferenceChanges) })
  .meta({ id: 'PreferenceChanges' })
export type PreferenceChanges = z.output<typeof PreferenceChanges>

/** An address as it is written in requests. A choice for another spelling would be stored and never found. */
const Address = z
  .string()
  .max(2048)
  .refine(
    (text) => e164Pattern.test(text) || mailboxPattern.test(text) || /^https:\/\/\S+$/.test(text),
    'must be an email address, a number in E.164 without spaces or dashes, or an https URL',
  )
  .meta({ description: 'Email address or E.164 number', example: 'ada@shop.example' })

/** Whose choices: a user, an address, or both where both are known. */
export const personFields = { user_id: UserId.optional(), address: Address.optional() }
type Names = Partial<Record<'user_id' | 'address' | 'user_token' | 'address_token', string | undefined>>
/** Whether a body names one. */
export const namesPerson = ({ user_id, address, user_token, address_token }: Names) =>
  [user_id, address, user_token, address_token].some((name) => name !== undefined)
export const unnamedPerson = { error: 'must name user_id or address', path: ['user_id'] }

const key = apiKey('recipients:manage')
const userParams = z.object({ user_id: z.string() })
/** Why a choice is refused. */
export const preferenceErrors = ['topic_not_found', 'topic_is_required'] as const
/** The language in which topics are described. */
export const TopicLanguage = Locale.optional().meta({ description: 'Language of names and descriptions, BCP 47' })

export const getOwnPreferences = defineRoute({
  name: 'getOwnPreferences',
  service: 'inbox-stream',
  method: 'GET',
  path: '/api/v1/preferences',
  summary: "Retrieve the user's own preferences",
  auth: user,
  query: z.strictObject({ locale: TopicLanguage }),
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
  query: z.strictObject({ locale: TopicLanguage }),
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
  query: z.strictObject({ locale: TopicLanguage }),
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
  query: z.strictObject({ locale: TopicLanguage }),
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
  body: z.strictObject({ ...personFields, locale: TopicLanguage }).refine(namesPerson, unnamedPerson),
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
  summary: 'Import up to 1,000 choices of recipients. If one of them is invalid, none is imported.',
  auth: key,
  maxBodyBytes: 1024 * 1024,
  body: z.strictObject({
    rules: z
      .array(
        z
          .strictObject({
            ...personFields,
            ...Change.shape,
            changed_at: UtcMoment.optional().meta({
              description:
                'When the person chose. Of several choices for the same, known or imported, the latest counts. Default: now.',
            }),
          })
          .refine(namesPerson, unnamedPerson)
          .refine(hasFrequency, notOn)
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
