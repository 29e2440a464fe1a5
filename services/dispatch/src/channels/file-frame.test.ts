import { expect, test } from '@jest/globals'
import { framed, unframed } from './file-frame.ts'

test.each([[[]], [['a']], [['', 'abc', '']], [['\0\0\0\u0001', 'b'.repeat(70_000)]]])(
  'files come back as they were: %#',
  (texts: string[]) => {
    const files = texts.map((text) => Buffer.from(text))
    expect(unframed(framed(files))).toEqual(files)
  },
)

test('a value that was cut off is no file', () => {
  expect(() => unframed(framed([Buffer.from('abc')]).subarray(0, 3))).toThrow()
})
