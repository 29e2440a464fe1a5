import type { DomainCarrierStatus } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { createTtlCache } from '@notify/service-kit'
import { findVerifiedDomain } from './domain-store.ts'

/**
 * Verified domains for sends, cached for a second. Unverified ones are not cached, so that sending works right after
 * verification.
 */
export interface VerifiedDomains {
  /** @param domain in ASCII and lower case */
  isVerified(tenantId: string, domain: string): Promise<boolean>
  /** What a verified domain is at the carriers, by provider; undefined unless it is verified. */
  standingsOf(tenantId: string, domain: string): Promise<Standings | undefined>
}

export type Standings = Readonly<Record<string, DomainCarrierStatus>>

/** A context with it. */
export interface WithDomains {
  directory: { domains: VerifiedDomains }
}

const rememberedMs = 1000

export function createVerifiedDomains(db: Queries): VerifiedDomains {
  const cache = createTtlCache<Standings | undefined>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    keep: (standings) => standings !== undefined,
    async load(key) {
      const [tenantId = '', domain = ''] = key.split('|')
      const found = await findVerifiedDomain(db.run, tenantId, domain)
      return found && (found.standings ?? {})
    },
  })
  const standingsOf: VerifiedDomains['standingsOf'] = (tenantId, domain) => cache.get(`${tenantId}|${domain}`)
  return { standingsOf, isVerified: async (...name) => (await standingsOf(...name)) !== undefined }
}

/** The domain of an address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
