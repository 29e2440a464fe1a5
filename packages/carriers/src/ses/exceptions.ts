import { accountDown, carrierFault, later, permanent, unknown, type Verdict, verdictOfStatus } from '../verdict.ts'

/**
 * The verdict on a refusal of more messages for the day, which is the same in all exceptions and over SMTP.
 * @see https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html
 */
export function verdictOfQuota(message: string): Verdict | undefined {
  return /daily (message|sending) quota/i.test(message)
    ? accountDown('The daily quota of the Amazon SES account is used up')
    : undefined
}

/**
 * Exceptions of Amazon SES (v2) and AWS, and their meaning for a message.
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html
 */
const exceptions: Record<string, Verdict> = {
  MessageRejected: permanent(),
  BadRequestException: permanent(),
  MailFromDomainNotVerifiedException: later('The MAIL FROM domain is not verified at Amazon SES'),
  TooManyRequestsException: later('Amazon SES refuses more messages for now: the sending rate or quota is used up'),
  LimitExceededException: later('Amazon SES refuses more messages for now: a limit of the account is reached'),
  ThrottlingException: later('Amazon SES refuses more messages for now: the sending rate or quota is used up'),
  InternalServiceErrorException: unknown('Amazon SES failed; it may have taken the message'),
  ServiceUnavailable: carrierFault('Amazon SES is not available'),
  InternalFailure: unknown('Amazon SES failed; it may have taken the message'),
  ConcurrentModificationException: later('Amazon SES was changing a part of the account'),
  AccountSuspendedException: accountDown('The Amazon SES account is suspended'),
  SendingPausedException: accountDown('Sending is paused for the Amazon SES account'),
  NotFoundException: accountDown('Amazon SES does not know the configuration set'),
  AccessDeniedException: accountDown('The Amazon SES credentials may not send'),
  NotAuthorized: accountDown('The Amazon SES credentials may not send'),
  OptInRequired: accountDown('The AWS account is not subscribed to Amazon SES'),
  UnrecognizedClientException: accountDown('The Amazon SES credentials were refused'),
  InvalidClientTokenId: accountDown('The Amazon SES credentials were refused'),
  SignatureDoesNotMatch: accountDown('The Amazon SES credentials were refused'),
  InvalidSignatureException: accountDown('The Amazon SES credentials were refused'),
  IncompleteSignature: accountDown('The Amazon SES credentials were refused'),
  MissingAuthenticationToken: accountDown('The Amazon SES credentials were refused'),
  ExpiredTokenException: accountDown('The Amazon SES credentials have expired'),
  RequestExpired: accountDown('Amazon SES found our clock wrong'),
}

const denials: readonly string[] = ['AccessDeniedException', 'NotAuthorized']

/**
 * Whether the credentials lack a permission for an identity that is not the account's: for that of the message's own sender, or in
 * the SES sandbox for that of a recipient. The account's are its sender and the domains above it.
 */
function isOfOtherIdentity(exception: string, message: string, sender: string | undefined): boolean {
  const identity = /:identity\/([^'"`\s]+)/.exec(message)?.[1]
  if (identity === undefined || !denials.includes(exception)) return false
  if (sender === undefined) return true
  const [refused, own] = [withoutTag(identity), withoutTag(sender)]
  return refused !== own && !`.${own.slice(own.lastIndexOf('@') + 1)}`.endsWith(`.${refused}`)
}

/** SES judges `shop+news@example.com` by the identity `shop@example.com`. */
const withoutTag = (address: string) => address.toLowerCase().replace(/^([^@+]*)\+[^@]*@/, '$1@')

/**
 * The verdict on a failed call: by exception if known, else by HTTP status. An identity that the account has not verified is its
 * sender's, or in the SES sandbox the recipient's; another provider may send the message.
 * @param sender the account's sender; undefined for a message with a sender of its own
 */
export function judgeSesError(status: number, exception: string, message = '', sender?: string): Verdict {
  if (exception === 'MessageRejected' && /not verified/i.test(message)) return later()
  if (isOfOtherIdentity(exception, message, sender)) return later()
  const verdict = Object.hasOwn(exceptions, exception) ? exceptions[exception]! : verdictOfStatus(status)
  return (verdict.outcome === 'rejected_retryable' && verdictOfQuota(message)) || verdict
}
