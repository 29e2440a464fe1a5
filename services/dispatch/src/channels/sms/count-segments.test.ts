import { expect, test } from '@jest/globals'
import { countSegments } from './count-segments.ts'

test.each([
  ['', 'GSM-7', 1, []],
  ['a'.repeat(160), 'GSM-7', 1, []],
  ['a'.repeat(161), 'GSM-7', 2, []],
  ['a'.repeat(306), 'GSM-7', 2, []],
  ['a'.repeat(307), 'GSM-7', 3, []],
  // Each needs two septets.
  ['€'.repeat(80), 'GSM-7', 1, []],
  ['€'.repeat(81), 'GSM-7', 2, []],
  // One that does not fit into a part goes to the next one whole.
  [`${'a'.repeat(152)}€${'a'.repeat(151)}`, 'GSM-7', 2, []],
  [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3, []],
  ['€'.repeat(152), 'GSM-7', 2, []],
  ['€'.repeat(153), 'GSM-7', 3, []],
  ['Ihr Bestätigungscode: 5 €', 'GSM-7', 1, []],
  ['ą'.repeat(70), 'UCS-2', 1, ['ą']],
  ['ą'.repeat(71), 'UCS-2', 2, ['ą']],
  ['Código', 'UCS-2', 1, ['ó']],
  ['1\u202f234 👍👍', 'UCS-2', 1, ['\u202f', '👍']],
  ['👍'.repeat(36), 'UCS-2', 2, ['👍']],
  ['👍'.repeat(66), 'UCS-2', 2, ['👍']],
  ['👍'.repeat(67), 'UCS-2', 3, ['👍']],
  [`ą${'👍'.repeat(66)}`, 'UCS-2', 2, ['ą', '👍']],
])('%j is sent in %s, in %i segments', (text, encoding, segments, outside) => {
  expect(countSegments(text)).toEqual({ encoding, segments, outside })
})
