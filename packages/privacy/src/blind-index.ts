import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { LRUCache } from 'lru-cache'

/** Turns a recipient into what it can be looked up by without being readable. */
export type BlindIndex = (tenantId: string, recipient: string) => string

const indexBytes = 16
const maxTenants = 10_000

/**
 * HMAC-SHA256 under a key of the tenant (HKDF, RFC 5869), cut to 128 bits and written as base64url: equal recipients of one
 * tenant are equal, those of two tenants are not. Spellings of one email address are equal.
 * @param masterKey 32 bytes
 */
export function createBlindIndex(masterKey: Buffer): BlindIndex {
  const tenantKeys = new LRUCache<string, KeyObject>({ max: maxTenants })
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
 * An email address in lower case, its domain in ASCII (RFC 5890): mailboxes that differ only by case are one in practice, and
 * whoever bounced or complained under one spelling must not be written to under another. Anything else is left as it is.
 */
function canonical(recipient: string): string {
  const [, local, domain] = /^([^@/\s]+)@([^@/\s]+)$/.exec(recipient) ?? []
  if (local === undefined || domain === undefined) return recipient
  return `${local.normalize('NFC').toLowerCase()}@${domainToASCII(domain) || domain.toLowerCase()}`
}
