import {
  changePreferencesOf,
  type PreferenceChanges,
  type Preferences,
  readPreferencesOf,
  type ServicePrincipal,
  type UserPrincipal,
} from '@notify/contracts'
import { createInternalClient, createPrincipalSigner, requireAwaited, type Wait } from '@notify/service-kit'
import type { Config } from '../config.ts'

const service: ServicePrincipal = { kind: 'service', service: 'inbox-stream', permissions: ['preferences:change'] }
const timeoutMs = 5000

interface OwnChange {
  locale: string | undefined
  changes: PreferenceChanges
  /** The user must still wait for the response when dispatch makes the changes. */
  wait: Wait
}

/** The preferences of users, which dispatch keeps. */
export interface PreferencesOfUsers {
  read(user: UserPrincipal, locale: string | undefined): Promise<Preferences>
  change(user: UserPrincipal, change: OwnChange): Promise<Preferences>
}

export async function createPreferencesOfUsers({
  DISPATCH_URL,
  SERVICE_SIGNING_KEY,
}: Pick<Config, 'DISPATCH_URL' | 'SERVICE_SIGNING_KEY'>): Promise<PreferencesOfUsers> {
  const dispatch = createInternalClient(DISPATCH_URL)
  const sign = await createPrincipalSigner(SERVICE_SIGNING_KEY, 'inbox-stream')
  const ownerOf = ({ tenant_id, application_id, mode, user_id }: UserPrincipal, locale: string | undefined) => ({
    ...{ tenant_id, application_id, mode, user_id },
    ...(locale === undefined ? {} : { locale }),
  })
  return {
    read: async (user, locale) =>
      dispatch.call(readPreferencesOf, { principal: await sign(service), body: ownerOf(user, locale), timeoutMs }),
    change: async (user, { locale, changes, wait }) => {
      const body = { ...ownerOf(user, locale), changes }
      const principal = await sign(service)
      await requireAwaited(wait.isAwaited)
      return dispatch.call(changePreferencesOf, { principal, body, timeoutMs: Math.min(timeoutMs, wait.leftMs()) })
    },
  }
}
