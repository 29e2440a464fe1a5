import type {
  changePreferencesOf as changeContract,
  Id,
  KeyMode,
  readPreferencesOf as readContract,
} from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import { changePreferences, type Needs, preferencesOf, type UserOfApplication } from './user-preferences.ts'

interface Named {
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  mode: KeyMode
  user_id: string
  locale?: string | undefined
}

const userOf = ({ tenant_id, application_id, mode, user_id, locale }: Named): UserOfApplication => ({
  owner: { tenantId: tenant_id, applicationId: application_id, mode },
  userId: user_id,
  locales: [locale],
})

/** The preferences of a user whose token another service has verified. */
export const readPreferencesOf: Handler<Needs, typeof readContract> = (context, { body }) =>
  preferencesOf(context, userOf(body))

export const changePreferencesOf: Handler<Needs, typeof changeContract> = (context, { body }) =>
  changePreferences(context, userOf(body), body.changes.rules, { source: 'page', actor: null })
