import type { Id } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { createTtlCache } from '@notify/service-kit'
import { type ApplicationSettings, findSettings } from './settings-store.ts'

/** The current settings of an application. */
export type SettingsOf = (applicationId: Id<'app'>) => Promise<ApplicationSettings>

/** Replicas apply a change within this time. */
const ttlMs = 1000
const maxEntries = 10_000

export function createSettingsOf(db: Queries): SettingsOf {
  return createTtlCache({ ttlMs, maxEntries, load: (id: Id<'app'>) => findSettings(db, id) }).get
}
