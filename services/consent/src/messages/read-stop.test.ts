import { expect, test } from '@jest/globals'
import { readStop } from './read-stop.ts'

test.each([
  'STOP',
  'stop',
  ' Stop. ',
  'Unsubscribe!',
  'opt out',
  'OPT   OUT',
  'OptOut\n',
  'stop!!!',
  'ＳＴＯＰ'.normalize('NFKC'),
])('%j revokes', (body) => {
  expect(readStop({ body })).toBe('reply')
})

test.each([
  'please stop',
  'STOP sending these',
  'stop it',
  'do not stop',
  'stopped',
  'st op',
  '',
  '.',
  'opt-out now',
  'x'.repeat(5000),
])('%j does not', (body) => {
  expect(readStop({ body })).toBeUndefined()
})

test('a button revokes by its payload, and by its text', () => {
  expect(readStop({ body: 'No more of these', payload: 'Unsubscribe' })).toBe('button')
  expect(readStop({ body: 'Stop', payload: 'aGlzIHRoaXMgaXMgY29v' })).toBe('button')
  expect(readStop({ body: 'Track my order', payload: 'track' })).toBeUndefined()
})
