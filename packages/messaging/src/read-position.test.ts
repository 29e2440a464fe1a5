import { expect, test } from '@jest/globals'
import type { ConsumerInfo } from '@nats-io/jetstream'
import { readPosition } from './read-position.ts'

const info = {
  delivered: { consumer_seq: 9, stream_seq: 7 },
  ack_floor: { consumer_seq: 5, stream_seq: 4 },
  num_pending: 2,
  num_ack_pending: 3,
}
const read = (answer: object) => readPosition(answer as ConsumerInfo)

test('the position of a durable is its floor, its delivered sequence and its pending count', () => {
  expect(read(info)).toEqual({ delivered: 7, floor: 4, pending: 2, unacknowledged: 3 })
})

test('a durable created with a start has acknowledged everything before it, although the server reports 0', () => {
  const none = { consumer_seq: 0, stream_seq: 0 }
  const fresh = { ...info, delivered: { consumer_seq: 0, stream_seq: 4 }, ack_floor: none, num_ack_pending: 0 }
  expect(read(fresh)).toMatchObject({ delivered: 4, floor: 4 })
})

const absurd = [2 ** 53, 2 ** 64 - 1, -1, 1.5, Number.NaN, undefined, null, '7']
const pairs = ['delivered', 'ack_floor'] as const
const sequences = ['consumer_seq', 'stream_seq'] as const

test.each(absurd)('%p in any field makes the position unknown', (value) => {
  for (const field of [...pairs, 'num_pending', 'num_ack_pending'])
    expect(read({ ...info, [field]: value })).toBe(undefined)
  for (const pair of pairs)
    for (const sequence of sequences)
      expect(read({ ...info, [pair]: { ...info[pair], [sequence]: value } })).toBe(undefined)
})

test.each([
  ['delivered', 'stream_seq', 0],
  ['delivered', 'consumer_seq', 0],
  ['ack_floor', 'stream_seq', 0],
  ['ack_floor', 'stream_seq', 8],
  ['ack_floor', 'consumer_seq', 10],
] as const)('%s.%s cannot be %d beside the others', (pair, sequence, value) => {
  expect(read({ ...info, [pair]: { ...info[pair], [sequence]: value } })).toBe(undefined)
})
