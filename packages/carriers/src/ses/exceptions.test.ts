import { expect, test } from '@jest/globals'
import { judgeSesError } from './exceptions.ts'

const permanent = { outcome: 'rejected_permanent' }
const later = { outcome: 'rejected_retryable' }
const accountDown = { ...later, providerDown: true }
const carrierFault = { ...later, carrierFault: true }
const unknown = { outcome: 'unknown', carrierFault: true }

test.each<[number, string, object]>([
  [400, 'MessageRejected', permanent],
  [400, 'BadRequestException', permanent],
  [400, 'MailFromDomainNotVerifiedException', later],
  [429, 'TooManyRequestsException', later],
  [400, 'LimitExceededException', later],
  [400, 'ThrottlingException', later],
  [500, 'InternalServiceErrorException', unknown],
  [503, 'ServiceUnavailable', carrierFault],
  [500, 'InternalFailure', unknown],
  [500, 'ConcurrentModificationException', later],
  [400, 'AccountSuspendedException', accountDown],
  [400, 'SendingPausedException', accountDown],
  [404, 'NotFoundException', accountDown],
  [400, 'AccessDeniedException', accountDown],
  [400, 'NotAuthorized', accountDown],
  [403, 'OptInRequired', accountDown],
  [403, 'UnrecognizedClientException', accountDown],
  [403, 'InvalidClientTokenId', accountDown],
  [403, 'SignatureDoesNotMatch', accountDown],
  [403, 'InvalidSignatureException', accountDown],
  [400, 'IncompleteSignature', accountDown],
  [403, 'MissingAuthenticationToken', accountDown],
  [403, 'ExpiredTokenException', accountDown],
  [400, 'RequestExpired', accountDown],
  // Unknown exceptions and non-JSON responses are judged by status.
  [400, 'SomethingNewException', permanent],
  [404, 'UnknownError', permanent],
  [401, 'UnknownError', accountDown],
  [403, 'UnknownError', accountDown],
  [408, 'UnknownError', later],
  [429, 'SyntaxError', later],
  [500, 'UnknownError', unknown],
  [502, 'SyntaxError', unknown],
  [503, 'SyntaxError', carrierFault],
  [504, 'SyntaxError', unknown],
  [400, 'constructor', permanent],
  [503, '__proto__', carrierFault],
])('%s with %s is %j', (status, exception, expected) => {
  const { text: _, ...verdict } = judgeSesError(status, exception)
  expect(verdict).toEqual(expected)
})

test.each([
  [400, 'ThrottlingException', 'Daily message quota exceeded'],
  [400, 'LimitExceededException', 'Daily message quota exceeded.'],
  [429, 'TooManyRequestsException', 'You have reached your daily sending quota'],
])('%s with %s because of the daily quota is a fault of the account', (status, exception, message) => {
  const quotaUsedUp = { ...accountDown, text: 'The daily quota of the Amazon SES account is used up' }
  expect(judgeSesError(status, exception, message)).toEqual(quotaUsedUp)
})

test('a refusal because of the rate is no fault of the account', () => {
  const { text: _, ...verdict } = judgeSesError(400, 'ThrottlingException', 'Maximum sending rate exceeded.')
  expect(verdict).toEqual(later)
})

test.each([
  [
    'Email address is not verified. The following identities failed the check in region EU-WEST-1: shop@example.com',
    later,
  ],
  ['Email address not verified shop@example.com', later],
  ['Transaction failed: Duplicate header', permanent],
])('MessageRejected because of %j is %j', (message, expected) => {
  expect(judgeSesError(400, 'MessageRejected', message)).toEqual(expected)
})

test.each<[string, object]>([
  ['identity/Shop@mail.example.com', accountDown],
  ['identity/mail.example.com', accountDown],
  ['identity/example.com', accountDown],
  ['configuration-set/events', accountDown],
  ['identity/news@mail.example.com', later],
  ['identity/a.mail.example.com', later],
  ['identity/shop.example', later],
])('a permission of shop@mail.example.com that is missing for %s is %j', (resource, expected) => {
  const message = `User \`arn:aws:iam::1:user/shop' may not use \`arn:aws:ses:eu-west-1:1:${resource}'`
  for (const exception of ['AccessDeniedException', 'NotAuthorized']) {
    const { text: _, ...verdict } = judgeSesError(403, exception, message, 'Shop+orders@mail.example.com')
    expect(verdict).toEqual(expected)
  }
})
