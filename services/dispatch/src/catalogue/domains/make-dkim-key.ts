import { generateKeyPair, randomInt } from 'node:crypto'
import { promisify } from 'node:util'
import { Problem } from '@notify/service-kit'

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
const mostWaiting = 20
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'

let waiting = 0
let last: Promise<unknown> = Promise.resolve()

/**
 * Generates a key pair for a domain, one at a time: each takes 0.1 s of CPU.
 * @throws Problem `rate_limited` when too many wait
 */
export async function makeDkimKey(): Promise<DkimKey> {
  if (waiting >= mostWaiting) {
    throw new Problem('rate_limited', 'Too many domains are being added now; try again shortly', {
      headers: { 'Retry-After': '5' },
    })
  }
  waiting++
  const pair = last.then(() => generate('rsa', { modulusLength: bits }))
  last = pair.catch(() => {})
  try {
    const { publicKey, privateKey } = await pair
    return {
      selector: `n${Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('')}`,
      publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      privateKey: privateKey.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
    }
  } finally {
    waiting--
  }
}
