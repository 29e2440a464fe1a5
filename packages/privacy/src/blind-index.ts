import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { LRUCache } from 'lru-cache'

/** Maps a recipient to a keyed hash for lookups. */
export type BlindIndex = (tenantId: string, recipient: string) => string

const indexBytes = 16
const maxTenants = 10_000

/**
 * HMAC-SHA256 under a tenant key (HKDF, RFC 5869), truncated to 128 bits, as base64url. Indexes of different tenants
 * differ; spellings of one email address give the same index.
 * @param masterKey 32 bytes
 */
export function createBlindIndex(masterKey: Buffer): BlindIndex {
  // Not `max`: it reserves memory for all entries at once.
  const tenantKeys = new LRUCache<string, KeyObject>({ maxSize: maxTenants, sizeCalculation: () => 1 })
  return (tenantId, recipient) => {
    let key = tenantKeys.get(tenantId)
    if (!key) {
      key = createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', `blind-index|${tenantId}`, 32)))
      tenantKeys.set(tenantId, key)
    }
    return createHmac('sha256', key).update(canonical(recipient)).digest().subarray(0, indexBytes).toString('base64url')
  }
}

/**
 * Lower-cases an email address and converts its domain to ASCII (RFC 5890), because mailboxes ignore case in practice
 * and a suppression must cover every spelling. Other recipients are unchanged.
 */
function canonical(recipient: string): string {
  const [, local, domain] = /^([^@/\s]+)@([^@/\s]+)$/.exec(recipient) ?? []
  if (local === undefined || domain === undefined) return recipient
  return `${local.normalize('NFC').toLowerCase()}@${domainToASCII(domain) || domain.toLowerCase()}`
}
