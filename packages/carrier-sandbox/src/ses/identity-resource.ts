import type { Identity } from './identity.ts'
import { dkimCheck, mailFromStatus } from './identity-checks.ts'
import type { IdentityStore } from './identity-store.ts'

/**
 * An identity as `GetEmailIdentity` returns it, judged by the current DNS records. An address counts as verified, because
 * nobody would follow the link that SES would send.
 */
export function identityResource({ zone }: IdentityStore, identity: Identity) {
  const check = dkimCheck(zone, identity)
  const isVerified = identity.type === 'EMAIL_ADDRESS' || check.status === 'SUCCESS'
  return {
    IdentityType: identity.type,
    FeedbackForwardingStatus: true,
    VerifiedForSendingStatus: isVerified,
    DkimAttributes: dkimAttributes(identity, check.status),
    MailFromAttributes: {
      ...(identity.mailFrom && { MailFromDomain: identity.mailFrom.domain }),
      ...(identity.mailFrom && { MailFromDomainStatus: mailFromStatus(zone, identity) }),
      BehaviorOnMxFailure: identity.mailFrom?.onFailure ?? 'USE_DEFAULT_VALUE',
    },
    Policies: {},
    Tags: [],
    VerificationStatus: isVerified ? 'SUCCESS' : 'PENDING',
    VerificationInfo: {
      // Seconds, as the SDK reads a timestamp of this API.
      LastCheckedTimestamp: Math.floor(Date.now() / 1000),
      ...(!isVerified && check.error && { ErrorType: check.error }),
    },
  }
}

/** The part that `CreateEmailIdentity` answers with as well. */
export function dkimAttributes({ dkim }: Identity, status: 'SUCCESS' | 'PENDING') {
  const isExternal = dkim.origin === 'EXTERNAL'
  return {
    SigningEnabled: true,
    Status: status,
    Tokens: isExternal ? [dkim.selector] : [...dkim.tokens],
    SigningAttributesOrigin: dkim.origin,
    ...(!isExternal && {
      SigningHostedZone: 'dkim.amazonses.com',
      NextSigningKeyLength: 'RSA_2048_BIT',
      CurrentSigningKeyLength: 'RSA_2048_BIT',
    }),
  }
}
