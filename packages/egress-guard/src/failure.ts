import { codeOf, isOurs, isUnanswered } from './dns-health.ts'
import { familyOf } from './foreign-family.ts'
import { busyCode } from './owner-turns.ts'

/** Why an exchange has no answer, in words for the owner of the destination. */
export interface Failure {
  /** `busy`: so many names of the owner are being looked up that this one was not asked for. */
  reason: 'timeout' | 'dns' | 'busy' | 'connection' | 'certificate' | 'protocol'
  message: string
  /** Whether the receiver is not at fault: our own DNS or network failed, or the name was not asked for. */
  own: boolean
}

const certificateFaults: Record<string, string> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  CERT_REVOKED: 'the certificate is revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not signed by a known authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not signed by a known authority; its chain may be incomplete',
  CERT_SIGNATURE_FAILURE: 'the certificate is not signed by a known authority',
  CERT_UNTRUSTED: 'the certificate is not signed by a known authority',
  INVALID_CA: 'the certificate is not signed by a known authority',
  INVALID_PURPOSE: 'the certificate is not one for servers',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate is not signed by a known authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not signed by a known authority',
}

const connectionFaults: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  EHOSTUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the connection timed out',
}

/** Faults of this machine or its network. */
const ownFaults = new Set([
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'EACCES',
  'EPERM',
])
/** DNS could not be asked. */
const ownDnsFaults = new Set(['ECONNREFUSED', 'ECANCELLED', 'ENOMEM'])
/** NXDOMAIN and an empty answer are faults of the receiver, too. */
const foreignDnsFaults = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADRESP', 'EFORMERR', 'ENONAME'])

/** Explains an error of the exchange. The error's own text may contain addresses, so it is not passed on. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error)
  const isDns = String((error as NodeJS.ErrnoException).syscall ?? '').startsWith('query')
  if (code === busyCode) {
    return { reason: 'busy', message: 'too many host names of the tenant have no answer yet', own: true }
  }
  if (isDns && (ownDnsFaults.has(code) || isOurs(error)))
    return { reason: 'dns', message: 'DNS did not answer', own: true }
  if (isDns && isUnanswered(error)) {
    return { reason: 'dns', message: 'the name servers of the host do not answer', own: false }
  }
  if (isDns || foreignDnsFaults.has(code)) {
    return { reason: 'dns', message: 'the host name does not resolve', own: false }
  }
  const family = familyOf(error)
  if (family !== undefined) {
    const message = `the host has only IPv${family} addresses, which this service cannot reach`
    return { reason: 'connection', message, own: false }
  }
  if (ownFaults.has(code)) return { reason: 'connection', message: `the network is not available (${code})`, own: true }
  const certificate = certificateFaults[code]
  if (certificate) return { reason: 'certificate', message: certificate, own: false }
  const connection = connectionFaults[code]
  if (connection) return { reason: 'connection', message: connection, own: false }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') {
    return { reason: 'connection', message: 'TLS could not be negotiated', own: false }
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code.startsWith('HPE_')) {
    return { reason: 'protocol', message: 'the answer is not valid HTTP, or its headers are too large', own: false }
  }
  return { reason: 'protocol', message: `the exchange failed${code && ` (${code})`}`, own: false }
}
