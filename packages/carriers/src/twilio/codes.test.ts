import { expect, test } from '@jest/globals'
import { judgeTwilioError, twilioCodes } from './codes.ts'

const permanent = { outcome: 'rejected_permanent' }
const later = { outcome: 'rejected_retryable' }
const accountDown = { ...later, providerDown: true }
const unknown = { outcome: 'unknown', carrierFault: true }

test.each<[number, string, object]>([
  [401, '20003', accountDown],
  [403, '20005', accountDown],
  [404, '20404', accountDown],
  [429, '20429', later],
  [400, '21211', permanent],
  [400, '21212', accountDown],
  [400, '21408', permanent],
  [400, '21602', permanent],
  [400, '21603', permanent],
  [400, '21604', permanent],
  [400, '21606', permanent],
  [400, '21610', { ...permanent, suppress: 'stop' }],
  [400, '21611', later],
  [400, '21612', permanent],
  [400, '21614', permanent],
  [400, '21617', permanent],
  [400, '21659', accountDown],
  [400, '21660', accountDown],
  [404, '21701', accountDown],
  [400, '21703', later],
  [400, '21704', accountDown],
  [400, '21705', accountDown],
  [400, '30001', later],
  [400, '30002', accountDown],
  [400, '30003', later],
  [400, '30004', permanent],
  [400, '30005', permanent],
  [400, '30006', permanent],
  [400, '30007', permanent],
  [400, '30008', later],
  [400, '30034', permanent],
  // Unknown codes are judged by status.
  [400, '99999', permanent],
  [404, 'http_404', permanent],
  [401, 'http_401', accountDown],
  [403, 'http_403', accountDown],
  [408, 'http_408', later],
  [429, 'http_429', later],
  [500, '20500', unknown],
  [503, '20503', { ...later, carrierFault: true }],
  [502, 'http_502', unknown],
  [503, 'http_503', { ...later, carrierFault: true }],
  [503, '30001', { ...later, carrierFault: true }],
  [504, 'http_504', unknown],
])('%s with code %s is %j', (status, code, expected) => {
  const { text: _, ...verdict } = judgeTwilioError(status, code)
  expect(verdict).toEqual(expected)
})

test.each(['21211', '21610', '30004', '30005', '30006', '30007'])('%s is permanent', (code) => {
  expect(twilioCodes.explain(code).retryable).toBe(false)
})

test.each(['30003', '20429', '30001', '30008', '21611', '20003', '30002'])('%s may succeed when retried', (code) => {
  expect(twilioCodes.explain(code).retryable).toBe(true)
})

test.each([null, '99999', '', 'http_500', 'constructor', '__proto__', 'toString'])(
  'an unknown code (%s) is retryable, and its reason has no text',
  (code) => {
    expect(twilioCodes.explain(code).retryable).toBe(true)
    expect(twilioCodes.describe(code)).toBe(
      code === null ? 'The carrier gave no reason' : `${code} The carrier gave no reason`,
    )
  },
)

test('a reason is the code and its meaning', () => {
  expect(twilioCodes.describe('30003')).toBe('30003 Unreachable destination handset')
  expect(twilioCodes.describe('99999', 'Strange weather')).toBe('99999 Strange weather')
  expect(twilioCodes.describe(null, 'Strange weather')).toBe('Strange weather')
})

test('an opt-out at the carrier suppresses the recipient; no other code does', () => {
  expect(twilioCodes.explain('21610')).toEqual({
    reason: '21610 The recipient has unsubscribed',
    retryable: false,
    suppress: 'stop',
  })
  for (const code of ['30003', '30007', '99999', null]) expect(twilioCodes.explain(code)).not.toHaveProperty('suppress')
})
