import type { AttemptOutcome } from '@notify/contracts'
import type { CarrierAnswer } from './carrier-answer.ts'
import { plainText } from './plain-text.ts'

/** The meaning of a carrier's refusal; each carrier maps its codes to these. */
export interface Verdict extends Pick<CarrierAnswer, 'providerDown' | 'carrierFault' | 'recipientOnly' | 'suppress'> {
  outcome: Exclude<AttemptOutcome, 'accepted'>
  /** Text for people; the carrier's own text if absent. */
  text?: string
}

/** The same message would be refused again. */
export const permanent = (text?: string): Verdict => ({ outcome: 'rejected_permanent', ...(text && { text }) })
/** Refused temporarily. */
export const later = (text?: string): Verdict => ({ outcome: 'rejected_retryable', ...(text && { text }) })
/** The account is refused, not the message. */
export const accountDown = (text?: string): Verdict => ({ ...later(text), providerDown: true })
/** The carrier failed and did not accept the message. */
export const carrierFault = (text?: string): Verdict => ({ ...later(text), carrierFault: true })
/** The carrier may or may not have accepted the message. */
export const unknown = (text?: string): Verdict => ({ outcome: 'unknown', carrierFault: true, ...(text && { text }) })

/** The meaning of an HTTP status without a known code (RFC 9110, 15). */
export function verdictOfStatus(status: number): Verdict {
  // Redirects are not followed, so the carrier has taken nothing: its address is wrong, or a proxy answers for it.
  if (status < 400) return accountDown(`The carrier answered ${status}, a redirect, which is not followed`)
  if (status === 401 || status === 403) return accountDown()
  if (status === 408 || status === 429) return later()
  // 503 alone says that the request was not processed. A server that failed meanwhile, or one behind a gateway, may have taken it.
  if (status === 503) return carrierFault()
  return status >= 500 ? unknown() : permanent()
}

export const couldNotBeReached = carrierFault('The carrier could not be reached')
export const didNotAnswer = unknown('The carrier did not answer; it may have taken the message')

/** The client library rejects the message before sending; it would do so every time. */
const notSendable = permanent('The message cannot be written as a request to the carrier')

/** Errors of Node's and undici's clients for requests that they refuse to write. */
const notWritable = new Set([
  'ERR_INVALID_CHAR',
  'ERR_UNESCAPED_CHARACTERS',
  'ERR_HTTP_INVALID_HEADER_VALUE',
  'UND_ERR_INVALID_ARG',
])

/** The result of a call whose exchange never started. */
export function notBegun(error: unknown): CarrierAnswer {
  const { code, name } = error as { code?: string | number; name?: string }
  return refusal(String(code ?? name ?? 'error'), notSendable, null)
}

/** Whether the client refused to write the request, so that the carrier was not called. */
export function isNotWritable(error: unknown): boolean {
  return notWritable.has(String((error as { code?: unknown } | null)?.code))
}

/** System errors before any byte of the request was sent. */
const neverLeft = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])
/**
 * Certificate errors end the handshake before anything is sent. Other TLS errors (`ERR_SSL_`, `EPROTO`) have the same
 * codes at any time.
 */
const badCertificate = /^(CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/

/** Whether a connection failed before anything could be sent. */
export function isNeverLeft(code: string): boolean {
  return neverLeft.has(code) || badCertificate.test(code)
}

const longestCode = 100
const longestMessage = 500

/** The result of a refused call. A permanent refusal is about one message: it asks the account for no wait, whatever its headers. */
export function refusal(
  code: string,
  { text, ...verdict }: Verdict,
  sentence: string | null,
  askedMs: number | null = null,
): CarrierAnswer {
  const message = text ?? (sentence === null ? null : plainText(sentence, longestMessage))
  const retryAfterMs = verdict.outcome === 'rejected_permanent' ? null : askedMs
  return { ...verdict, code: plainText(code, longestCode), message, providerMessageId: null, retryAfterMs }
}

export function accepted(providerMessageId: string | null): CarrierAnswer {
  const known = providerMessageId ? plainText(providerMessageId, longestMessage) : null
  return { outcome: 'accepted', code: null, message: null, providerMessageId: known, retryAfterMs: null }
}

/** The answer when all connections of the account stayed in use: the carrier was not called. */
export const noConnection = refusal('no_connection', later('All connections to the carrier are in use'), null)
