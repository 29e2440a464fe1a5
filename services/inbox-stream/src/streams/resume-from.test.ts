import { expect, test } from '@jest/globals'
import { resumeFrom } from './resume-from.ts'

const head = { last_seq: 5000, pruned_seq: 4100 }

test.each([
  ['4990', 4990],
  ['5000', 5000],
  ['4100', 4100],
])('after %s everything is sent', (lastEventId, seq) => {
  expect(resumeFrom(lastEventId, head)).toEqual({ sent: seq, id: seq, recovered: true })
})

test.each(['5001', '4099', '0', '-1', 'x', '', '1e3', '4990.0', ' 4990', '٤٩٩٠', '9'.repeat(400)])(
  'after %j, which is too old or none of ours, the stream begins now and says so',
  (lastEventId) => {
    expect(resumeFrom(lastEventId, head)).toEqual({ sent: 5000, id: 5000, recovered: false })
  },
)

test('a reader that lacks more than a thousand events reloads the inbox', () => {
  expect(resumeFrom('3999', { last_seq: 5000, pruned_seq: 0 }).recovered).toBe(false)
  expect(resumeFrom('4000', { last_seq: 5000, pruned_seq: 0 }).recovered).toBe(true)
})

test('without Last-Event-ID the stream begins now', () => {
  expect(resumeFrom(undefined, head)).toEqual({ sent: 5000, id: 0, recovered: false })
})
