import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { type AccountCheck, checkFailed, checkPassed, checkSilent } from '../account-check.ts'
import type { CheckOptions } from '../sender.ts'
import { forbiddenHostCode } from './connect-to-server.ts'
import type { SmtpCredentials } from './credentials.ts'
import type { SmtpEnvironment } from './environment.ts'
import { transportOptions } from './transport-options.ts'

/** An error of nodemailer; `originalCode` is that of the connection. */
interface SmtpError extends Error {
  responseCode?: number
  code?: string
  originalCode?: string
}

/** Connects as for sending, logs in if there is a password, and disconnects. Never throws. */
export async function checkAccount(
  credentials: SmtpCredentials,
  { timeoutMs, environment }: CheckOptions<SmtpEnvironment>,
): Promise<AccountCheck> {
  const allowed = environment.SMTP_EGRESS_ALLOW
  const transport = createTransport(transportOptions(credentials, { timeoutMs, allowed }))
  try {
    // The timeouts of the transport limit single steps; this one limits the whole exchange.
    await Promise.race([transport.verify(), silence(timeoutMs)])
    const login = credentials.username === undefined ? 'is ready; it asks for no login' : 'accepted the login'
    return checkPassed(`The mail server ${login}`, { security: credentials.security })
  } catch (error) {
    const { responseCode, code, originalCode, message } = error as SmtpError
    if (responseCode !== undefined) return checkFailed(`smtp_${responseCode}`, explain(code, responseCode))
    if (code === forbiddenHostCode) return checkFailed(code, 'The mail server may not be called')
    if (code === 'ETLS' || /certificate|SSL|TLS/i.test(message)) return checkFailed(code ?? 'ETLS', 'TLS failed')
    return checkSilent({ code: originalCode ?? code })
  } finally {
    transport.close()
  }
}

async function silence(ms: number): Promise<never> {
  await delay(ms, undefined, { ref: false })
  throw Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })
}

/** The reply itself may quote user names. */
function explain(code: string | undefined, reply: number): string {
  return code === 'EAUTH' ? `The mail server refused the login with ${reply}` : `The mail server answered ${reply}`
}
