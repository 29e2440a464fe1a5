import { expect, test } from '@jest/globals'
import { newId, receiptReceived } from '@notify/contracts'
import { bounce, recipient, sesEvent } from '@notify/test-kit/ses'
import { markOf, recipientTag } from '../recipient-mark.ts'
import { readSesEvent } from './read-event.ts'

const read = (event: unknown) => readSesEvent(JSON.stringify(event))[0]
const salt = '0123456789abcdef'
const correlation = { notificationId: newId('notif'), attemptId: newId('att') }

test.each<[string, object, object]>([
  ['Send', { send: {} }, { status: 'sent', error_code: null }],
  ['Delivery', { delivery: { recipients: [recipient] } }, { status: 'delivered', error_code: null }],
  [
    'Complaint',
    { complaint: { complainedRecipients: [{ emailAddress: recipient }], complaintFeedbackType: 'abuse' } },
    { status: 'complained', error_code: 'complaint:abuse', suppress: 'complaint' },
  ],
  ['Complaint', {}, { status: 'complained', error_code: 'complaint:Undetermined', suppress: 'complaint' }],
  [
    'Complaint',
    { complaint: { complainedRecipients: [{ emailAddress: recipient }], complaintSubType: null } },
    { status: 'complained', error_code: 'complaint:Undetermined', suppress: 'complaint' },
  ],
  [
    'Complaint',
    {
      complaint: {
        complainedRecipients: [{ emailAddress: recipient }],
        complaintSubType: 'OnAccountSuppressionList',
      },
    },
    {
      status: 'failed',
      error_code: 'complaint:OnAccountSuppressionList',
      reason: 'complaint:OnAccountSuppressionList The carrier did not send it: the recipient has complained before',
      retryable: false,
      suppress: 'complaint',
    },
  ],
  [
    'Reject',
    { reject: { reason: 'Bad content' } },
    {
      status: 'failed',
      error_code: 'reject',
      reason: 'reject Bad content',
      retryable: false,
    },
  ],
  [
    'Rendering Failure',
    { failure: { errorMessage: "Attribute 'name' is missing", templateName: 't' } },
    {
      status: 'failed',
      error_code: 'rendering_failure',
      reason: "rendering_failure Attribute 'name' is missing",
      retryable: false,
    },
  ],
  [
    'DeliveryDelay',
    {
      deliveryDelay: {
        delayType: 'MailboxFull',
        delayedRecipients: [{ emailAddress: recipient, diagnosticCode: 'smtp; 452 4.2.2 full' }],
      },
    },
    { status: 'delayed', error_code: 'delay:MailboxFull' },
  ],
])('%s is a receipt, with our correlation from the tags', (type, details, expected) => {
  const report = read(sesEvent(type, details, correlation))
  expect(report).toEqual({
    provider_message_id: expect.any(String),
    notification_id: correlation.notificationId,
    attempt_id: correlation.attemptId,
    ...expected,
  })
})

test('the trace of the message returns in its tags; an invalid one is ignored', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const tagged = (tag: string) => {
    const event = sesEvent('Delivery', {}, correlation) as { mail: { tags: Record<string, string[]> } }
    return read({ ...event, mail: { ...event.mail, tags: { ...event.mail.tags, traceparent: [tag] } } })
  }
  expect(tagged(traceparent)).toMatchObject({ status: 'delivered', traceparent })
  expect(tagged('nonsense')).not.toHaveProperty('traceparent')
})

test.each([
  ['Permanent', 'General', 'bounce'],
  ['Permanent', 'OnAccountSuppressionList', 'bounce'],
  ['Transient', 'MailboxFull', undefined],
  ['Undetermined', 'Undetermined', undefined],
])('a bounce %s %s is undelivered, and suppresses: %s', (type, subType, suppress) => {
  const report = read(bounce(type, subType, correlation))
  expect(report).toMatchObject({ status: 'undelivered', error_code: `bounce:${type}:${subType}` })
  expect(report?.suppress).toBe(suppress)
})

test('a type that is not a word gives the code Undetermined', () => {
  expect(read(bounce("x' or 1", 'a\0b'))).toMatchObject({ error_code: 'bounce:Undetermined:Undetermined' })
})

test.each([
  [recipient, undefined],
  [`<${recipient}>`, undefined],
  [`Ada Lovelace <${recipient}>`, undefined],
  ['grace@example.com', markOf(salt, 'grace@example.com')],
])('a bounce of %s, which has copies, is about the copy %s', (emailAddress, copy) => {
  const details = {
    bounce: { bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients: [{ emailAddress }] },
  }
  const event = sesEvent('Bounce', details, correlation)
  const tags = { ...event.mail.tags, recipient_tag: [recipientTag(salt, recipient)] }
  const report = read({ ...event, mail: { ...event.mail, tags } })
  expect(report).toMatchObject({ status: 'undelivered', suppress: 'bounce' })
  expect(report?.copy).toBe(copy)
})

test.each<[string, string[], object[]]>([
  [
    'the copy that it names alone',
    ['grace@example.com'],
    [{ copy: markOf(salt, 'grace@example.com'), suppress: 'complaint' }],
  ],
  ['the recipient that it names alone', [recipient], [{ suppress: 'complaint' }]],
  ['nobody, if it names several who may have complained', [recipient, 'grace@example.com'], [{}]],
  ['nobody, if it names nobody', [], [{}]],
])('a complaint about an email with copies suppresses %s', (_whom, addresses, expected) => {
  const complainedRecipients = addresses.map((emailAddress) => ({ emailAddress }))
  const event = sesEvent('Complaint', { complaint: { complainedRecipients } }, correlation)
  const tags = { ...event.mail.tags, recipient_tag: [recipientTag(salt, recipient)] }
  const reports = readSesEvent(JSON.stringify({ ...event, mail: { ...event.mail, tags } }))
  expect(reports).toEqual(
    expected.map((report) => ({
      provider_message_id: event.mail.messageId,
      notification_id: correlation.notificationId,
      attempt_id: correlation.attemptId,
      status: 'complained',
      error_code: 'complaint:Undetermined',
      ...report,
    })),
  )
})

test('a complaint of type not-spam gives no receipt', () => {
  expect(read(sesEvent('Complaint', { complaint: { complaintFeedbackType: 'not-spam' } }))).toBeUndefined()
})

test.each(['Open', 'Click', 'Subscription', 'Something New', 'constructor', '__proto__', ''])(
  'the event %j gives no receipt',
  (type) => {
    expect(read(sesEvent(type))).toBeUndefined()
  },
)

test.each([
  '',
  'Successfully validated SNS topic for Amazon SES event publishing.',
  'null',
  '[]',
  '{}',
  '{"eventType":"Delivery"}',
  '{"eventType":"Delivery","mail":null}',
  '{"eventType":"Delivery","mail":{"messageId":7}}',
  '{"eventType":"Delivery","mail":{"messageId":"a\\u0000b"}}',
  '['.repeat(100_000),
])('%j is not an event', (text) => {
  expect(readSesEvent(text)).toEqual([])
})

test('foreign and malformed tags are ignored', () => {
  const event = sesEvent('Delivery')
  for (const tags of [
    undefined,
    null,
    [],
    { notification_id: 'notif_1' },
    { notification_id: ['x'], attempt_id: [7] },
  ]) {
    const report = read({ ...event, mail: { ...event.mail, tags } })
    expect(report).toMatchObject({ status: 'delivered' })
    expect(report).not.toHaveProperty('notification_id')
  }
})

test.each([
  `smtp; 550 5.1.1 <${recipient}>... User unknown`,
  'smtp; 550 5.1.1 <ada.lovelace> unknown here',
  'smtp; 550 ADA.LOVELACE@EXAMPLE.COM: no such user',
  'smtp; 550 forwarded to somebody.else@other.example failed',
  'smtp; 550 "Ada" <ada.lovelace@mail.example.com>',
])('the recipient in %j is masked', (diagnosticCode) => {
  const details = {
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients: [{ emailAddress: recipient, diagnosticCode }],
    },
  }
  const { reason } = read(sesEvent('Bounce', details))!
  expect(reason).toMatch(/^bounce:Permanent:General smtp; 550/)
  expect(reason).not.toMatch(/ada\.lovelace|@/i)
})

test('a reason is shortened, and characters that Postgres cannot store are removed', () => {
  for (const reason of [`a\0b\ud800c${'x'.repeat(2000)}`, `${'x'.repeat(499)}🎉`]) {
    const report = read(sesEvent('Reject', { reject: { reason } }))!
    expect(report.reason!.length).toBeLessThanOrEqual('reject '.length + 500)
    expect(report.reason!.isWellFormed()).toBe(true)
    expect(report.reason).not.toContain('\0')
    const receipt = { channel: 'email', provider_id: newId('prov'), received_at: new Date().toISOString(), ...report }
    expect(receiptReceived.schema.safeParse(receipt).success).toBe(true)
  }
})

test('an event about several recipients gives one receipt', () => {
  const bouncedRecipients = Array.from({ length: 3 }, (_, at) => ({ emailAddress: `r${at}@example.com` }))
  const event = sesEvent(
    'Bounce',
    { bounce: { bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients } },
    correlation,
  )
  expect(read(event)).toMatchObject({
    status: 'undelivered',
    notification_id: correlation.notificationId,
    suppress: 'bounce',
  })
})
