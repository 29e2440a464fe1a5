import { expect, test } from '@jest/globals'
import { requestIdOf } from './request-id.ts'

test.each(['a', 'req-1', '0d9e2b7c-7f0a-4c56-9d6e-2f6f8d9f2f11', 'Root=1:2.3_4'.replace('=', ':'), 'x'.repeat(128)])(
  'a sane id of the caller is kept: %s',
  (id) => {
    expect(requestIdOf(id)).toBe(id)
  },
)

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['one that is too long', 'x'.repeat(129)],
  ['one with a space', 'a b'],
  ['one that would forge a log line', 'a\nlevel=error'],
  ['one with markup', '<script>'],
  ['one in another alphabet', 'запрос'],
  ['several', ['a', 'b']],
])('%s is replaced by a new one', (_what, header) => {
  expect(requestIdOf(header)).toMatch(/^req_[0-9a-z]{26}$/)
  expect(requestIdOf(header)).not.toBe(requestIdOf(header))
})
