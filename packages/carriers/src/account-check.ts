import { plainText } from './plain-text.ts'
import { isNeverLeft } from './verdict.ts'
import { withoutNumbers } from './without-numbers.ts'

/** A carrier's answer to a check of an account, which sends no message. */
export interface AccountCheck {
  /** Whether the carrier accepts the credentials, and the account may send. */
  ok: boolean
  /** The carrier's code, or that of the connection failure. */
  code: string | null
  /** For people. */
  message: string
  /** What the carrier reports about the account; never secrets. */
  details: Record<string, string>
}

export function checkPassed(message: string, details: Record<string, unknown> = {}): AccountCheck {
  return { ok: true, code: null, message, details: textsOf(details) }
}

export function checkFailed(code: string, message: string, details: Record<string, unknown> = {}): AccountCheck {
  return { ok: false, code, message, details: textsOf(details) }
}

/** A shorter text may be part of any word. The key of a carrier is never shorter. */
const shortestSecret = 8

/**
 * A check in a form that may be shown and stored: without numbers of people and without the secrets, which a carrier may repeat.
 * @example Meta answers `Malformed access token EAAG…` with the whole token.
 */
export function forPeople({ code, message, ...check }: AccountCheck, secrets: readonly string[]): AccountCheck {
  const withoutSecrets = (text: string) =>
    secrets
      .filter(({ length }) => length >= shortestSecret)
      // One secret may contain another.
      .toSorted((a, b) => b.length - a.length)
      .reduce((left, secret) => left.replaceAll(secret, '[secret]'), text)
  return {
    ...check,
    code: code && plainText(withoutSecrets(code), 100),
    message: withoutNumbers(withoutSecrets(message)),
  }
}

/** The carrier gave no complete answer. */
export function checkSilent(error: unknown): AccountCheck {
  const { code, name } = error as { code?: unknown; name?: string }
  const text = String(code ?? name ?? 'no_answer')
  return checkFailed(
    text,
    isNeverLeft(text) ? 'The carrier could not be reached' : 'The carrier did not answer in time',
  )
}

function textsOf(details: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [[name, plainText(String(value), 200)]],
    ),
  )
}
