import { expect, test } from '@jest/globals'
import { readKeyword } from './read-keyword.ts'

test.each([
  'STOP',
  'stop',
  'StopAll',
  'Unsubscribe',
  'CANCEL',
  'end',
  'Quit',
  'revoke',
  'OptOut',
  'opt out',
  '  Stop. ',
  'STOP!!!',
  'stop ?!',
  'opt \n\t out…',
  'opt\u00a0out',
  'unsubscribe。',
  'ＳＴＯＰ',
  '\u200eStop\u200e',
  'c\u200dancel\ufeff',
  'ｑｕｉｔ！！',
])('%j means stop', (body) => {
  expect(readKeyword(body)).toBe('stop')
})

test.each(['START', 'unstop', 'Yes!', ' yes ', 'ｓｔａｒｔ\u200b'])('%j means start', (body) => {
  expect(readKeyword(body)).toBe('start')
})

test.each([
  '',
  '!!!',
  'please stop',
  'stop it',
  "don't stop",
  'stop start',
  'stopp',
  '"stop',
  'help',
  'the end',
  'yes please',
  'constructor',
  '__proto__',
])('%j means nothing', (body) => {
  expect(readKeyword(body)).toBeUndefined()
})

test("the carrier's result takes precedence over the text, in any language", () => {
  expect(readKeyword('ARRET', 'STOP')).toBe('stop')
  expect(readKeyword('da', 'START')).toBe('start')
  expect(readKeyword('end', 'HELP')).toBeUndefined()
  expect(readKeyword('stop', '')).toBe('stop')
})
