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
  'ＳＴＯＰ',
  '\u200bstop\u200b',
  '\u2068ｓｔｏｐ\u2069！',
  's\u00adt\u2060o\ufe0fp',
  '\ufeffＯｐｔ　Ｏｕｔ。',
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
  '\u200bplease stop',
  'ｓｔ ｏｐ',
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
