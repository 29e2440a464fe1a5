import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { domainToASCII } from 'node:url'
import { LRUCache } from 'lru-cache'
import { parseKey } from './secret-config.ts'

/** Maps a recipient to a keyed hash for lookups. */
export type BlindIndex = (tenantId: string, recipient: string) => string

/** Keys of 32 bytes in the order in which they are applied: an index under two is the HMAC of one under the first. */
export type IndexKeys = readonly [Buffer, ...Buffer[]]

const indexBytes = 16
const maxTenants = 10_000
/** The last character of an index has four bits to spare, which count its keys. */
const mostKeys = 16
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const indexPattern = /^[A-Za-z0-9_-]{22}$/

/** Parses comma-separated keys, each the base64 of 32 bytes. @throws Error without the values */
export function parseIndexKeys(text: string): IndexKeys {
  const [first, ...others] = text.split(',').map(parseKey)
  const keys: IndexKeys = [first!, ...others]
  if (keys.length > mostKeys) throw new Error(`must be at most ${mostKeys} keys`)
  if (new Set(keys.map((key) => key.toString('hex'))).size < keys.length) throw new Error('must not repeat a key')
  return keys
}

/**
 * HMAC-SHA256 under a tenant key (HKDF, RFC 5869), truncated to 128 bits, as base64url; with further keys the HMAC of that under each.
 * Indexes of different tenants differ; spellings of one email address or URL give the same index.
 * @param keys a key of 32 bytes, or several
 */
export function createBlindIndex(keys: Buffer | IndexKeys): BlindIndex {
  const tenantKeysOf = createTenantKeys(keys)
  return (tenantId, recipient) => {
    const [first, ...others] = tenantKeysOf(tenantId)
    return others.reduce((index, key, at) => hashed(key, index, at + 2), hashed(first, canonical(recipient), 1))
  }
}

/** Applies to an index the keys that it lacks. Other texts, such as an erased one, and indexes under all keys stay as they are. */
export function createIndexRenewal(keys: IndexKeys): BlindIndex {
  const tenantKeysOf = createTenantKeys(keys)
  return (tenantId, index) => {
    if (!lacksKeys(index, keys)) return index
    const known = keyCountOf(index)
    return tenantKeysOf(tenantId)
      .slice(known)
      .reduce((text, key, at) => hashed(key, text, known + at + 1), index)
  }
}

/** The lists of keys with which this one begins, without the last key, the shortest first. */
export function olderKeys([first, ...others]: IndexKeys): IndexKeys[] {
  return others.map((_, at) => [first, ...others.slice(0, at)])
}

/** Whether a text is an index that was made before the last of these keys was added. */
export const lacksKeys = (text: string, keys: IndexKeys): boolean =>
  indexPattern.test(text) && keyCountOf(text) < keys.length

/** Equal for equal lists of keys; it reveals none. */
export const keysFingerprint = (keys: IndexKeys): string => createBlindIndex(keys)('', 'keys of blind indexes')

const keyCountOf = (index: string): number => (alphabet.indexOf(index.at(-1)!) % mostKeys) + 1

function createTenantKeys(keys: Buffer | IndexKeys) {
  const masterKeys = Buffer.isBuffer(keys) ? ([keys] as const) : keys
  // Not `max`: it reserves memory for all entries at once.
  const known = new LRUCache<string, [KeyObject, ...KeyObject[]]>({ maxSize: maxTenants, sizeCalculation: () => 1 })
  return (tenantId: string): [KeyObject, ...KeyObject[]] => {
    let ofTenant = known.get(tenantId)
    if (!ofTenant) {
      const [first, ...others] = masterKeys.map((key) =>
        createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `blind-index|${tenantId}`, 32))),
      )
      ofTenant = [first!, ...others]
      known.set(tenantId, ofTenant)
    }
    return ofTenant
  }
}

function hashed(key: KeyObject, text: string, keyCount: number): string {
  const index = createHmac('sha256', key).update(text).digest().subarray(0, indexBytes).toString('base64url')
  if (keyCount === 1) return index
  return index.slice(0, -1) + alphabet[alphabet.indexOf(index.at(-1)!) + keyCount - 1]
}

/**
 * The spelling of a recipient that its blind index is made of. An email address is lower-cased and its domain converted to ASCII
 * (RFC 5890), because mailboxes ignore case in practice and a suppression must cover every spelling. A URL is written as browsers
 * write it, with its fragment: it may be the id of a user. Other recipients are unchanged.
 */
export function canonical(recipient: string): string {
  if (/^https?:\/\//i.test(recipient)) return URL.parse(recipient)?.href ?? recipient
  const [, local, domain] = /^([^@\s]+)@([^@/\s]+)$/.exec(recipient) ?? []
  if (local === undefined || domain === undefined) return recipient
  return `${local.normalize('NFC').toLowerCase()}@${asciiOf(domain)}`
}

/** A number is no domain, but URLs read it as an IPv4 address: 010 and 8 are one there. */
function asciiOf(domain: string): string {
  const ascii = domainToASCII(domain)
  return ascii === '' || isIPv4(ascii) ? domain.toLowerCase() : ascii
}

/** Whether two spellings are one recipient: their blind indexes are equal. */
export const isSameRecipient = (one: string, other: string): boolean => canonical(one) === canonical(other)
