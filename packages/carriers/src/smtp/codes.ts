import { accountDown, carrierFault, couldNotBeReached, later, permanent, unknown, type Verdict } from '../verdict.ts'

/**
 * Replies that mean something else than their first digit says.
 * @see https://www.rfc-editor.org/rfc/rfc5321#section-4.2
 * @see https://www.rfc-editor.org/rfc/rfc4954#section-6
 */
const replies: Record<string, Verdict> = {
  '421': carrierFault('The mail server closes its connections for now'),
  '454': carrierFault('The mail server cannot check the login, or speak TLS, for now'),
  // The session was out of step, the message was not judged.
  '503': carrierFault('The mail server found the commands out of order'),
  '530': accountDown('The mail server wants a login'),
  '534': accountDown('The mail server wants a stronger login'),
  '535': accountDown('The mail server refused the login'),
  '538': accountDown('The mail server wants the login encrypted'),
}

/** A mail server's reply by its code: 4yz asks to come again, 5yz refuses for good (RFC 5321 4.2.1). */
export function verdictOfReply(reply: number): Verdict {
  const known = replies[String(reply)]
  if (known) return known
  return reply >= 500 && reply < 600 ? permanent() : later()
}

const sessionRefused = accountDown('The mail server does not speak with us as configured')

/** What nodemailer says of a failed send. */
export interface SmtpFault {
  /** nodemailer's own word, for example EENVELOPE */
  code?: string | undefined
  /** Code of the mail server's reply; absent when there was none */
  responseCode?: number | undefined
  /** Whether the mail server had begun to take the message itself. */
  bodyBegan: boolean
}

/** The verdict of a failed send. Before the message itself began to flow it cannot have been taken. */
export function judgeSmtpFault({ code, responseCode, bodyBegan }: SmtpFault): Verdict {
  if (responseCode !== undefined && responseCode >= 400) {
    const verdict = verdictOfReply(responseCode)
    // Greeting, TLS and login concern the account, whatever the code: this message was not judged yet.
    const isOfMessage = code === 'EENVELOPE' || code === 'EMESSAGE' || bodyBegan
    return !isOfMessage && verdict.outcome === 'rejected_permanent' ? sessionRefused : verdict
  }
  if (bodyBegan) return unknown('The mail server did not answer; it may have taken the message')
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return accountDown('The mail server refused the login')
    case 'ETLS':
      return sessionRefused
    case 'EENVELOPE':
    case 'EMESSAGE':
    case 'ESTREAM':
      return permanent('The message cannot be sent over SMTP')
    case 'EABORT':
      return carrierFault('The mail server was too slow')
    default:
      return couldNotBeReached
  }
}
