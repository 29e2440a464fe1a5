import { type KeyObject, X509Certificate } from 'node:crypto'
import { createTtlCache, type Logger, Problem } from '@notify/service-kit'
import { fetchText } from './fetch-text.ts'

/** Provides the public keys of SNS certificates. */
export interface Certificates {
  /**
   * @param url a pinned address
   * @throws Problem `service_unavailable` when it cannot be fetched now, `invalid_signature` when it is not valid now
   */
  keyOf(url: URL): Promise<KeyObject>
}

interface Certificate {
  key: KeyObject
  validFromMs: number
  validToMs: number
}

const rememberedMs = 3_600_000
const maxCertificates = 100

/** Certificates by URL, cached for an hour. Failures and invalid certificates are not cached. */
export function createCertificates(log: Logger): Certificates {
  const cache = createTtlCache<Certificate>({
    ttlMs: rememberedMs,
    maxEntries: maxCertificates,
    load: async (address) => requireValid(await fetchCertificate(new URL(address), log)),
  })
  // Checked again, because it may have expired while cached.
  return { keyOf: async (url) => requireValid(await cache.get(url.href)).key }
}

async function fetchCertificate(url: URL, log: Logger): Promise<Certificate> {
  try {
    const { publicKey: key, validFromDate, validToDate } = new X509Certificate(await fetchText(url))
    if (key.asymmetricKeyType !== 'rsa')
      throw new Error(`the certificate has a key of type ${key.asymmetricKeyType}, not RSA`)
    return { key, validFromMs: validFromDate.getTime(), validToMs: validToDate.getTime() }
  } catch (cause) {
    log.warn({ err: cause, host: url.host }, 'cannot fetch the SNS certificate')
    throw new Problem('service_unavailable', 'The signing certificate cannot be fetched now; send the message again', {
      cause,
    })
  }
}

function requireValid(certificate: Certificate): Certificate {
  const now = Date.now()
  if (certificate.validFromMs <= now && now < certificate.validToMs) return certificate
  throw new Problem('invalid_signature', 'The signing certificate has expired or is not yet valid')
}
