import { generateKeyPair, randomInt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Id } from '@notify/contracts'
import { createTenantRoom, Problem } from '@notify/service-kit'

const generate = promisify(generateKeyPair)

export interface DkimKey {
  /** DNS label of the public key; unique per key. */
  selector: string
  /** Base64 of the SubjectPublicKeyInfo, as in `p=`. */
  publicKey: string
  /** Base64 of the RSAPrivateKey (PKCS #1), as carriers require. */
  privateKey: string
}

const bits = 2048
/** Shorter than the gateway waits. */
const longestWaitMs = 5000
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'

/** One at a time, because each takes 0.1 s of CPU. Tenants take turns. */
const room = createTenantRoom({ most: 1, mostOfTenant: 1 })

/**
 * Generates a key pair for a domain of a tenant.
 * @throws Problem `rate_limited` when its turn does not come in time
 */
export async function makeDkimKey(tenantId: Id<'ten'>): Promise<DkimKey> {
  const leave = await room(tenantId, performance.now() + longestWaitMs)
  if (!leave) {
    throw new Problem('rate_limited', 'Too many domains are being added now; try again shortly', {
      headers: { 'Retry-After': '5' },
    })
  }
  try {
    const { publicKey, privateKey } = await generate('rsa', { modulusLength: bits })
    return {
      selector: `n${Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('')}`,
      publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      privateKey: privateKey.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
    }
  } finally {
    leave()
  }
}
