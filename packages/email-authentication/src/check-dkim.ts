import { createPublicKey, type KeyObject } from 'node:crypto'
import { type Finding, foundIn, unanswered } from './finding.ts'
import type { Lookup } from './lookup.ts'

interface ExpectedKey {
  /** `<selector>._domainkey.<domain>` */
  name: string
  domain: string
  /** Base64 of the public key's SubjectPublicKeyInfo. */
  publicKey: string
}

/**
 * Checks our key record: exactly one TXT record, which verifiers would read as this key.
 * @see RFC 6376 3.6.1 (tags), 3.6.2.2 (one record for a selector)
 */
export async function checkDkim(lookup: Lookup, { name, domain, publicKey }: ExpectedKey): Promise<Finding> {
  const answer = await lookup.txt(name)
  if (answer.kind === 'trouble') return unanswered(name, answer.reason)
  if (answer.kind === 'absent') return absent(lookup, name, domain, answer.alias)
  const records = [...new Set(answer.records)]
  const found = foundIn(records)
  if (records.length > 1) {
    const error = `${records.length} TXT records are at ${name}; a selector may have only one. Keep the one shown here and remove the others.`
    return { verdict: 'wrong', found, error }
  }
  const { fault, note } = judgeKeyRecord(records[0]!, publicKey)
  if (fault) return { verdict: 'wrong', found, error: fault }
  return { verdict: 'right', found, ...(note ? { error: note } : {}) }
}

async function absent(lookup: Lookup, name: string, domain: string, alias: string | undefined): Promise<Finding> {
  if (alias) {
    return {
      verdict: 'absent',
      error: `${name} is an alias of ${alias}, where there is no TXT record. Publish the value shown.`,
    }
  }
  // Many DNS hosts append the zone to the entered name.
  const twice = `${name}.${domain}`
  const astray = await lookup.txt(twice)
  if (astray.kind === 'records') {
    return {
      verdict: 'absent',
      found: foundIn(astray.records),
      error: `There is no TXT record at ${name}, but one at ${twice}: the DNS host appends the domain by itself. Leave the domain out of the name there.`,
    }
  }
  return {
    verdict: 'absent',
    error: `There is no TXT record at ${name}. Publish the value shown; it can take some time to be seen.`,
  }
}

/** What keeps verifiers from reading the record as our key, or a note on it. */
function judgeKeyRecord(record: string, publicKey: string): { fault?: string; note?: string } {
  if (record.startsWith('"')) return { fault: 'The value contains quotation marks. Publish it without them.' }
  const tags = readTags(record)
  if (!tags)
    return {
      fault:
        'This is not a DKIM key record (tag=value, separated by semicolons, no tag twice). Publish the value shown.',
    }
  const version = tags.get('v')
  if (version !== undefined && (version !== 'DKIM1' || tags.keys().next().value !== 'v')) {
    return { fault: 'A DKIM key record begins with v=DKIM1. Publish the value shown.' }
  }
  const key = tags.get('p')?.replace(/\s/g, '')
  if (key === undefined) return { fault: 'This is not a DKIM key record: it has no p= tag. Publish the value shown.' }
  if (key === '') return { fault: 'The key is revoked (p= is empty). Publish the value shown.' }
  const type = tags.get('k')?.toLowerCase() ?? 'rsa'
  if (type !== 'rsa')
    return { fault: `The record says k=${type.slice(0, 20)}, but the key is an RSA key. Publish the value shown.` }
  const keyFault = judgeKey(key, publicKey)
  if (keyFault) return { fault: keyFault }
  if (!lists(tags.get('h'), ['sha256']))
    return { fault: 'The h= tag excludes sha256, with which messages are signed. Remove the tag.' }
  if (!lists(tags.get('s'), ['*', 'email'])) return { fault: 'The s= tag excludes email. Remove the tag.' }
  if (tags.has('t') && lists(tags.get('t'), ['y'])) {
    return { note: 'The record says t=y (testing): verifiers may treat messages as unsigned. Remove the tag.' }
  }
  return {}
}

/** Whether a colon-separated tag is absent or lists one of these (RFC 6376, 3.6.1). */
function lists(tag: string | undefined, wanted: readonly string[]): boolean {
  return tag === undefined || tag.split(':').some((item) => wanted.includes(item.trim().toLowerCase()))
}

/** The tags in order (RFC 6376, 3.2); undefined when the text is not a tag list. */
function readTags(text: string): Map<string, string> | undefined {
  const tags = new Map<string, string>()
  const parts = text.split(';')
  if (parts.at(-1)?.trim() === '') parts.pop()
  for (const part of parts) {
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(at, 0)).trim()
    if (!/^[a-z]\w*$/i.test(name) || tags.has(name)) return undefined
    tags.set(name, part.slice(at + 1).trim())
  }
  return tags
}

function judgeKey(found: string, expected: string): string | undefined {
  if (found === expected) return undefined
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(found)) return 'The p= tag is not Base64. Publish the value shown.'
  const key = readKey(found)
  if (!key) {
    return expected.startsWith(found)
      ? 'The key is cut off. A DNS host that takes no long value takes it in several strings.'
      : 'The p= tag holds no readable public key. Publish the value shown.'
  }
  if (key.asymmetricKeyType !== 'rsa') return 'The p= tag holds a key that is not an RSA key. Publish the value shown.'
  if (key.export({ type: 'spki', format: 'der' }).toString('base64') === expected) return undefined
  const bits = key.asymmetricKeyDetails?.modulusLength
  return `The record holds another key (RSA, ${bits} bits) than the one made for this domain. Publish the value shown.`
}

/** Keys are SubjectPublicKeyInfo, in some zones the bare RSAPublicKey that RFC 6376 names (erratum 3017). */
function readKey(base64: string): KeyObject | undefined {
  const key = Buffer.from(base64, 'base64')
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      return createPublicKey({ key, format: 'der', type })
    } catch {
      // Not in this format.
    }
  }
  return undefined
}
