import { verdictOfQuota } from '../ses/exceptions.ts'
import { accountDown, carrierFault, couldNotBeReached, later, permanent, unknown, type Verdict } from '../verdict.ts'
import { forbiddenHostCode } from './connect-to-server.ts'

/**
 * Replies whose meaning differs from their first digit.
 * @see https://www.rfc-editor.org/rfc/rfc5321#section-4.2
 * @see https://www.rfc-editor.org/rfc/rfc4954#section-6
 */
const replies: Record<string, Verdict> = {
  '421': carrierFault('The mail server closes its connections for now'),
  '454': carrierFault('The mail server cannot check the login, or speak TLS, for now'),
  // The commands were out of order; the message was not judged.
  '503': carrierFault('The mail server found the commands out of order'),
  '530': accountDown('The mail server wants a login'),
  '534': accountDown('The mail server wants a stronger login'),
  '535': accountDown('The mail server refused the login'),
  '538': accountDown('The mail server wants the login encrypted'),
}

/** The verdict on a mail server's reply: 4yz is temporary, 5yz permanent (RFC 5321, 4.2.1). */
export function verdictOfReply(reply: number): Verdict {
  const known = replies[String(reply)]
  if (known) return known
  return reply >= 500 && reply < 600 ? permanent() : later()
}

const sessionRefused = accountDown('The mail server does not speak with us as configured')

/**
 * Replies to an account that has used up a limit, also after the message: Gmail's 5.4.5, and those of Microsoft 365. There a full
 * mailbox is the sender's if the submission fails, and the recipient's if the delivery does.
 * @see https://learn.microsoft.com/exchange/troubleshoot/send-emails/smtp-submission-improvements
 */
const limitReached =
  /^5\d\d[ -](5\.4\.5\b|5\.1\.90\b|5\.2\.[02]\b.*STOREDRV\.Submission\.Exception:(Submission)?QuotaExceeded)/s

/** A failed send as nodemailer reports it. */
export interface SmtpFault {
  /** nodemailer's code, for example EENVELOPE. */
  code?: string | undefined
  /** Reply code of the mail server, if it replied. */
  responseCode?: number | undefined
  /** The whole reply. */
  response?: string | undefined
  /** Whether the transfer of the message itself had started. */
  bodyBegan: boolean
}

/** Whether the fault is one of a message, and not of the greeting, TLS or the login. */
const isOfMessage = ({ code, bodyBegan }: SmtpFault) => code === 'EENVELOPE' || code === 'EMESSAGE' || bodyBegan

/** Whether the server refuses a new connection for now, as it does beyond its limit for a client. */
export function refusesConnection(fault: SmtpFault): boolean {
  return !isOfMessage(fault) && (fault.responseCode === 421 || fault.responseCode === 432)
}

/** The verdict on a failed send. Before the transfer starts, the message cannot have been accepted. */
export function judgeSmtpFault(fault: SmtpFault): Verdict {
  const { code, responseCode, response = '', bodyBegan } = fault
  if (limitReached.test(response)) return accountDown()
  if (responseCode !== undefined && responseCode >= 400) {
    const verdict = verdictOfReply(responseCode)
    // To a command of a message it is a limit, such as the rate or the quota of SES.
    if (isOfMessage(fault) && responseCode === 454) return verdictOfQuota(response) ?? later()
    // Greeting, TLS and login concern the account, whatever the code.
    return !isOfMessage(fault) && verdict.outcome === 'rejected_permanent' ? sessionRefused : verdict
  }
  if (bodyBegan) return unknown('The mail server did not answer; it may have taken the message')
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return accountDown('The mail server refused the login')
    case 'ETLS':
      return sessionRefused
    case forbiddenHostCode:
      return accountDown('The mail server of the provider may not be called')
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
