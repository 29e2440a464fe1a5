import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'
import { type AccountCheck, checkFailed, checkPassed, checkSilent } from '../account-check.ts'
import type { CheckOptions } from '../sender.ts'
import type { SmtpCredentials } from './credentials.ts'

/** Connects, logs in where there is a password, and says goodbye. Never throws. */
export async function checkAccount(
  { host, port, security, username, password }: SmtpCredentials,
  { timeoutMs, addressOf }: CheckOptions<object>,
): Promise<AccountCheck> {
  try {
    // The address that was judged is the one that is called: nothing is resolved again in between.
    const address = await addressOf(host, Number(port))
    const transport = createTransport({
      host: address,
      port: Number(port),
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      tls: { minVersion: 'TLSv1.2', ...(isIP(host) ? {} : { servername: host }) },
      ...(username === undefined ? {} : { auth: { user: username, pass: password! } }),
      connectionTimeout: timeoutMs / 2,
      greetingTimeout: timeoutMs / 2,
      socketTimeout: timeoutMs / 2,
    })
    try {
      await transport.verify()
      return checkPassed(
        username === undefined
          ? 'The mail server is ready; it asks for no login'
          : 'The mail server accepted the login',
        { security },
      )
    } finally {
      transport.close()
    }
  } catch (error) {
    const { responseCode, code, message } = error as { responseCode?: number; code?: string; message: string }
    if (responseCode !== undefined) return checkFailed(`smtp_${responseCode}`, explain(code, responseCode))
    if (code === 'ETLS' || /certificate|SSL|TLS/i.test(message)) return checkFailed(code ?? 'ETLS', 'TLS failed')
    return checkSilent(error)
  }
}

/** The reply itself may quote user names. */
function explain(code: string | undefined, reply: number): string {
  return code === 'EAUTH' ? `The mail server refused the login with ${reply}` : `The mail server answered ${reply}`
}
