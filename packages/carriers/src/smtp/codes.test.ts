import { expect, test } from '@jest/globals'
import { judgeSmtpFault, type SmtpFault, verdictOfReply } from './codes.ts'

const permanent = { outcome: 'rejected_permanent' }
const later = { outcome: 'rejected_retryable' }
const accountDown = { ...later, providerDown: true }
const carrierFault = { ...later, carrierFault: true }
const unknown = { outcome: 'unknown', carrierFault: true }

test.each<[number, object]>([
  [421, carrierFault],
  [432, later],
  [450, later],
  [451, later],
  [452, later],
  [454, carrierFault],
  [455, later],
  [500, permanent],
  [501, permanent],
  [502, permanent],
  [503, carrierFault],
  [504, permanent],
  [521, permanent],
  [523, permanent],
  [530, accountDown],
  [534, accountDown],
  [535, accountDown],
  [538, accountDown],
  [550, permanent],
  [551, permanent],
  [552, permanent],
  [553, permanent],
  [554, permanent],
  [555, permanent],
  [556, permanent],
  // Intermediate replies instead of a final one.
  [354, later],
  [250, later],
])('the reply %s is %j', (reply, expected) => {
  const { text: _, ...verdict } = verdictOfReply(reply)
  expect(verdict).toEqual(expected)
})

test.each<[string, SmtpFault, object]>([
  ['no connection', { code: 'ESOCKET', bodyBegan: false }, carrierFault],
  ['no such host', { code: 'EDNS', bodyBegan: false }, carrierFault],
  ['a connection lost before DATA', { code: 'ECONNECTION', bodyBegan: false }, carrierFault],
  ['a timeout before DATA', { code: 'ETIMEDOUT', bodyBegan: false }, carrierFault],
  ['our own deadline before DATA', { code: 'EABORT', bodyBegan: false }, carrierFault],
  ['a connection lost after DATA', { code: 'ECONNECTION', bodyBegan: true }, unknown],
  ['a timeout after DATA', { code: 'ETIMEDOUT', bodyBegan: true }, unknown],
  ['our own deadline after DATA', { code: 'EABORT', bodyBegan: true }, unknown],
  ['a reset after DATA', { code: 'ESOCKET', bodyBegan: true }, unknown],
  ['gibberish after DATA', { code: 'EPROTOCOL', bodyBegan: true }, unknown],
  ['a refusal after DATA', { code: 'EMESSAGE', responseCode: 554, bodyBegan: true }, permanent],
  ['a temporary refusal after DATA', { code: 'EMESSAGE', responseCode: 451, bodyBegan: true }, later],
  ['an unknown recipient', { code: 'EENVELOPE', responseCode: 550, bodyBegan: false }, permanent],
  ['greylisting', { code: 'EENVELOPE', responseCode: 450, bodyBegan: false }, later],
  ['a refused login', { code: 'EAUTH', responseCode: 535, bodyBegan: false }, accountDown],
  ['a login refused with another code', { code: 'EAUTH', responseCode: 550, bodyBegan: false }, accountDown],
  ['a temporary failure of the login', { code: 'EAUTH', responseCode: 454, bodyBegan: false }, carrierFault],
  ['a rate of sending that is used up, at MAIL', { code: 'EENVELOPE', responseCode: 454, bodyBegan: false }, later],
  ['a rate of sending that is used up, at DATA', { code: 'EMESSAGE', responseCode: 454, bodyBegan: true }, later],
  [
    'a rate of Amazon SES that is used up',
    {
      code: 'EMESSAGE',
      responseCode: 454,
      response: '454 Throttling failure: Maximum sending rate exceeded.',
      bodyBegan: true,
    },
    later,
  ],
  [
    'a daily quota of Amazon SES that is used up',
    {
      code: 'EMESSAGE',
      responseCode: 454,
      response: '454 Throttling failure: Daily message quota exceeded.',
      bodyBegan: true,
    },
    accountDown,
  ],
  ['a login without a common mechanism', { code: 'EAUTH', bodyBegan: false }, accountDown],
  ['a wanted login', { code: 'EENVELOPE', responseCode: 530, bodyBegan: false }, accountDown],
  ['no TLS', { code: 'ETLS', bodyBegan: false }, accountDown],
  ['a refused STARTTLS', { code: 'ETLS', responseCode: 502, bodyBegan: false }, accountDown],
  ['a closed door', { code: 'EPROTOCOL', responseCode: 554, bodyBegan: false }, accountDown],
  ['a temporary refusal of the connection', { code: 'EPROTOCOL', responseCode: 421, bodyBegan: false }, carrierFault],
  [
    'a sending limit of the account that is used up',
    { code: 'EMESSAGE', responseCode: 550, response: '550-5.4.5 Daily user sending limit exceeded.', bodyBegan: true },
    accountDown,
  ],
  [
    'a daily limit of recipients',
    {
      code: 'EENVELOPE',
      responseCode: 550,
      response: "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
      bodyBegan: false,
    },
    accountDown,
  ],
  [
    'a quota of the account',
    {
      code: 'EMESSAGE',
      responseCode: 554,
      response: '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process message',
      bodyBegan: true,
    },
    accountDown,
  ],
  [
    "the sender's full mailbox",
    {
      code: 'EMESSAGE',
      responseCode: 554,
      response: '554-5.2.2 Mailbox full.\n554 5.2.2 More: a page; STOREDRV.Submission.Exception:QuotaExceededException',
      bodyBegan: true,
    },
    accountDown,
  ],
  [
    "the recipient's full mailbox",
    {
      code: 'EMESSAGE',
      responseCode: 554,
      response: '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionQuotaExceeded',
      bodyBegan: true,
    },
    permanent,
  ],
  [
    'a sender address that is not of the account',
    {
      code: 'EMESSAGE',
      responseCode: 554,
      response: '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied',
      bodyBegan: true,
    },
    permanent,
  ],
  [
    'another refusal with a code of its own',
    { code: 'EMESSAGE', responseCode: 550, response: '550 5.7.1 [192.0.2.5] 550 5.4.5 quoted', bodyBegan: true },
    permanent,
  ],
  ['an invalid address', { code: 'EENVELOPE', bodyBegan: false }, permanent],
  ['an error without code and reply', { bodyBegan: false }, carrierFault],
])('%s is judged', (_what, fault, expected) => {
  const { text: _, ...verdict } = judgeSmtpFault(fault)
  expect(verdict).toEqual(expected)
})
