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
}

/** A context with it. */
export interface WithDomains {
  directory: { domains: VerifiedDomains }
}

const rememberedMs = 1000

export function createVerifiedDomains(db: Queries): VerifiedDomains {
  const cache = createTtlCache<boolean>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    keep: (isVerified) => isVerified,
    async load(key) {
      const [tenantId = '', domain = ''] = key.split('|')
      return (await findVerifiedDomain(db.run, tenantId, domain)) !== undefined
    },
  })
  return { isVerified: (tenantId, domain) => cache.get(`${tenantId}|${domain}`) }
}

/** The domain of an address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
