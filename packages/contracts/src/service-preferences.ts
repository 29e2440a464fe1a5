import { z } from 'zod'
import { defineEvent, SealedText } from './event.ts'
import { idSchema } from './ids.ts'
import { UserId } from './inbox.ts'
import { KeyMode } from './permissions.ts'
import {
  Frequency,
  PreferenceChanges,
  PreferenceSource,
  PreferenceState,
  Preferences,
  preferenceErrors,
  preferenceScope,
} from './preferences.ts'
import { defineRoute, service } from './route.ts'
import { EventTime } from './text.ts'

/** Whose preferences another service asks for. */
const Owner = z.object({
  tenant_id: idSchema('ten'),
  application_id: idSchema('app'),
  mode: KeyMode,
  user_id: UserId,
  locale: z.string().optional(),
})

export const readPreferencesOf = defineRoute({
  name: 'readPreferencesOf',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/preferences/read',
  summary: 'Retrieve the preferences of a user for the service that knows them by their token',
  auth: service('preferences:change'),
  idempotent: true,
  body: Owner,
  responses: { 200: Preferences },
  errors: [],
})

export const changePreferencesOf = defineRoute({
  name: 'changePreferencesOf',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/preferences/change',
  summary: 'Change the preferences of a user for the service that knows them by their token',
  auth: service('preferences:change'),
  idempotent: true,
  body: Owner.extend({ changes: PreferenceChanges }),
  responses: { 200: Preferences },
  errors: [...preferenceErrors],
})

/** A person has made, changed or removed a choice. */
export const topicPreferenceChanged = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.preference.changed',
  schema: z.object({
    change_id: idSchema('pref'),
    tenant_id: idSchema('ten'),
    application_id: idSchema('app'),
    mode: KeyMode,
    /** Of the user id or the address. */
    recipient_index: z.string(),
    /** Who it is. */
    content: SealedText,
    ...preferenceScope,
    state: PreferenceState.nullable(),
    /** Absent where none was chosen. */
    frequency: Frequency.optional(),
    source: PreferenceSource,
    occurred_at: EventTime,
  }),
  sealed: {
    field: 'content',
    aad: ['tenant_id', 'change_id'],
    content: z.object({ user_id: z.string().optional(), address: z.string().optional() }),
  },
})
export type TopicPreferenceChange = z.output<typeof topicPreferenceChanged.schema>
