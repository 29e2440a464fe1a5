import { expect, test } from '@jest/globals'
import { explainEvent } from './event-codes.ts'

test.each([
  ['bounce:Transient:General', true],
  ['bounce:Transient:MailboxFull', true],
  ['bounce:Transient:SomethingNew', true],
  ['bounce:Undetermined:Undetermined', true],
  ['bounce:Transient:MessageTooLarge', false],
  ['bounce:Transient:ContentRejected', false],
  ['bounce:Transient:AttachmentRejected', false],
  ['bounce:Permanent:General', false],
  ['bounce:Permanent:OnAccountSuppressionList', false],
  ['reject', false],
  ['rendering_failure', false],
  ['complaint:OnAccountSuppressionList', false],
])('an email that ended with %s may be retried: %s', (code, retryable) => {
  expect(explainEvent(code, undefined, undefined)).toMatchObject({ retryable })
})

test("the reason is the code and the carrier's text, else the meaning of the code", () => {
  const code = 'bounce:Permanent:General'
  const diagnostic = 'smtp; 550 5.1.1 user unknown'
  expect(explainEvent(code, diagnostic, 'bounce').reason).toBe(`${code} ${diagnostic}`)
  expect(explainEvent(code, undefined, 'bounce').reason).toBe(`${code} The carrier gave no reason`)
  expect(explainEvent('reject', undefined, undefined).reason).toBe('reject The carrier refused the content')
  const suppressed = 'complaint:OnAccountSuppressionList'
  expect(explainEvent(suppressed, undefined, 'complaint').reason).toMatch(/^complaint:\S+ The carrier did not send it/)
})

test('a suppressed recipient is not retried, whatever the code', () => {
  expect(explainEvent('bounce:Transient:General', undefined, 'bounce').retryable).toBe(false)
})
