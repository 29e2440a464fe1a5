import type { AttemptOutcome } from '@notify/contracts'
import type { CarrierAnswer } from './carrier-answer.ts'
import { plainText } from './plain-text.ts'

/** What a carrier's refusal means; each carrier has one table from its codes to these. */
export interface Verdict extends Pick<CarrierAnswer, 'providerDown' | 'carrierFault' | 'suppress'> {
  outcome: Exclude<AttemptOutcome, 'accepted'>
  /** For people; the carrier's own sentence stands when there is none. */
  text?: string
}

/** The same message would be refused again. */
export const permanent = (text?: string): Verdict => ({ outcome: 'rejected_permanent', ...(text && { text }) })
/** Refused for now: the same message may be taken later. */
export const later = (text?: string): Verdict => ({ outcome: 'rejected_retryable', ...(text && { text }) })
/** The account is refused, not the message. */
export const accountDown = (text?: string): Verdict => ({ ...later(text), providerDown: true })
/** The carrier says that it failed, and did not take the message. */
export const carrierFault = (text?: string): Verdict => ({ ...later(text), carrierFault: true })
/** Nobody knows whether the carrier took the message. */
export const unknown = (text?: string): Verdict => ({ outcome: 'unknown', carrierFault: true, ...(text && { text }) })

/** What an HTTP status means where the carrier's code says nothing (RFC 9110 15). */
export function verdictOfStatus(status: number): Verdict {
  if (status === 401 || status === 403) return accountDown()
  if (status === 408 || status === 429) return later()
  // Whoever waited behind the gateway may have taken it.
  if (status === 504) return unknown()
  return status >= 500 ? carrierFault() : permanent()
}

export const couldNotBeReached = carrierFault('The carrier could not be reached')
export const didNotAnswer = unknown('The carrier did not answer; it may have taken the message')

/** The carrier's library would not make a request of the message: ours to answer for, and the same each time. */
const notSendable = permanent('The message cannot be written as a request to the carrier')

/** What Node's and undici's clients say of a request that they refuse to write. */
const notWritable = new Set([
  'ERR_INVALID_CHAR',
  'ERR_UNESCAPED_CHARACTERS',
  'ERR_HTTP_INVALID_HEADER_VALUE',
  'UND_ERR_INVALID_ARG',
])

/** The answer to a call whose exchange never began. */
export function notBegun(error: unknown): CarrierAnswer {
  const { code, name } = error as { code?: string | number; name?: string }
  return refusal(String(code ?? name ?? 'error'), notSendable, null)
}

/** Whether a client refused to write the request: the carrier was not asked. */
export function isNotWritable(error: unknown): boolean {
  return notWritable.has(String((error as { code?: unknown } | null)?.code))
}

/** System errors that come before a byte of the request has left. */
const neverLeft = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])
/**
 * A certificate that does not fit ends the handshake, before anything is said. Other failures of TLS (`ERR_SSL_`, `EPROTO`)
 * come at any time, with the same codes.
 */
const badCertificate = /^(CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/

/** Whether a connection failed before anything could be handed over. */
export function isNeverLeft(code: string): boolean {
  return neverLeft.has(code) || badCertificate.test(code)
}

const longestCode = 100
const longestMessage = 500

/** The answer to a call that was not taken. */
export function refusal(
  code: string,
  { text, ...verdict }: Verdict,
  sentence: string | null,
  retryAfterMs: number | null = null,
): CarrierAnswer {
  const message = text ?? (sentence === null ? null : plainText(sentence, longestMessage))
  return { ...verdict, code: plainText(code, longestCode), message, providerMessageId: null, retryAfterMs }
}

export function accepted(providerMessageId: string | null): CarrierAnswer {
  const known = providerMessageId ? plainText(providerMessageId, longestMessage) : null
  return { outcome: 'accepted', code: null, message: null, providerMessageId: known, retryAfterMs: null }
}
