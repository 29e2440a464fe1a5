import { type KeyObject, X509Certificate } from 'node:crypto'
import { createTtlCache, type Logger, Problem } from '@notify/service-kit'
import { fetchText } from './fetch-text.ts'

/** Gives the public keys of SNS's certificates. */
export interface Certificates {
  /**
   * @param url an address that was pinned before
   * @throws Problem `service_unavailable` when it cannot be had now, `invalid_signature` when it is not valid now
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

/** Certificates by address, kept for an hour; what could not be read or is not valid is never kept. */
export function createCertificates(log: Logger): Certificates {
  const cache = createTtlCache<Certificate>({
    ttlMs: rememberedMs,
    maxEntries: maxCertificates,
    load: async (address) => requireValid(await fetchCertificate(new URL(address), log)),
  })
  // Looked at once more: it may have ended within the hour.
  return { keyOf: async (url) => requireValid(await cache.get(url.href)).key }
}

async function fetchCertificate(url: URL, log: Logger): Promise<Certificate> {
  try {
    const { publicKey: key, validFromDate, validToDate } = new X509Certificate(await fetchText(url))
    if (key.asymmetricKeyType !== 'rsa') throw new Error(`the certificate's key is ${key.asymmetricKeyType}, not RSA`)
    return { key, validFromMs: validFromDate.getTime(), validToMs: validToDate.getTime() }
  } catch (cause) {
    log.warn({ err: cause, host: url.host }, 'a certificate of SNS could not be had')
    throw new Problem('service_unavailable', 'The certificate of the signature cannot be fetched now; send it again', {
      cause,
    })
  }
}

function requireValid(certificate: Certificate): Certificate {
  const now = Date.now()
  if (certificate.validFromMs <= now && now < certificate.validToMs) return certificate
  throw new Problem('invalid_signature', 'The certificate of the signature is not valid now')
}
