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

const longestMessage = 500

export function checkPassed(message: string, details: Record<string, unknown> = {}): AccountCheck {
  return { ok: true, code: null, message, details: textsOf(details) }
}

export function checkFailed(code: string, message: string, details: Record<string, unknown> = {}): AccountCheck {
  return {
    ok: false,
    code: plainText(code, 100),
    message: plainText(withoutNumbers(message), longestMessage),
    details: textsOf(details),
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
