import type { Id } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { createTtlCache } from '@notify/service-kit'
import { type ApplicationAccess, findAccess, isListed } from './application-store.ts'

/** Every replica sees a change within this time. */
const ttlMs = 1000
const maxEntries = 10_000

/** The settings of applications, cached for a second. */
export interface Access {
  of(applicationId: Id<'app'>): Promise<ApplicationAccess>
  /** Whether any application lists this origin; used before the user is known. */
  isListed(origin: string): Promise<boolean>
}

export function createAccess(db: Queries): Access {
  const applications = createTtlCache({ ttlMs, maxEntries, load: (id: Id<'app'>) => findAccess(db, id) })
  const origins = createTtlCache({ ttlMs, maxEntries, load: (origin: string) => isListed(db, origin) })
  return { of: applications.get, isListed: origins.get }
}
