import { expect, test } from '@jest/globals'
import type { InboxEvent } from './inbox-event.ts'
import { Reader } from './reader.ts'

const event = (seq: number): InboxEvent => ({
  seq,
  kind: 'read_all',
  item_id: null,
  unread_count: 0,
  content: null,
  created_at: null,
})

/** Pseudorandom numbers, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e3779b9) >>> 0
    return state % below
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** An inbox whose events are stored, and one stream of it. */
function open(log: InboxEvent[], { pageSize = 3, eventBytes = 0 } = {}) {
  const sent: number[] = []
  let isOver = false
  let gaps = 0
  let failing = false
  const reads: number[] = []
  let bufferedBytes = 0
  let looks = 0
  const reader = new Reader(
    {
      send: () => {},
      sendEncoded({ text }) {
        sent.push(Number(text))
        bufferedBytes += eventBytes
      },
      end: () => {
        isOver = true
      },
      get bufferedBytes() {
        looks += 1
        return bufferedBytes
      },
      get isClosed() {
        return isOver
      },
    },
    {
      async readAfter(seq) {
        reads.push(seq)
        await turn()
        if (failing) throw new Error('Postgres is away')
        return log.filter((one) => one.seq > seq).slice(0, pageSize)
      },
      encode: ({ seq }) => ({ text: Buffer.from(String(seq)), chunk: Buffer.alloc(0) }),
      onGap: () => void gaps++,
      onFailure: () => {},
    },
  )
  return {
    reader,
    sent,
    gaps: () => gaps,
    isOver: () => isOver,
    reads,
    looks: () => looks,
    /** The reader takes what is buffered. */
    drain() {
      bufferedBytes = 0
    },
    fail(on: boolean) {
      failing = on
    },
  }
}

test('each event is sent once and in order, whatever is lost, repeated or overtaken on the bus, 1,000 times', async () => {
  for (let seed = 0; seed < 1000; seed++) {
    const next = numbers(seed)
    const log = Array.from({ length: next(10) }, (_, at) => event(at + 1))
    const from = next(log.length + 1)
    const stream = open(log)
    const inFlight: InboxEvent[] = []
    let started = false
    for (let step = 0; step < 40; step++) {
      const choice = next(10)
      if (choice < 4) {
        const made = event(log.length + 1)
        log.push(made)
        if (next(5) > 0) inFlight.push(made)
        if (next(5) === 0) inFlight.push(made)
      } else if (choice < 7 && inFlight.length > 0) {
        stream.reader.hear(inFlight.splice(next(inFlight.length), 1)[0]!)
      } else if (choice < 8 && !started) {
        stream.reader.start(from, log.length)
        started = true
      } else {
        await turn()
      }
    }
    if (!started) stream.reader.start(from, log.length)
    for (let at = 0; at < 50 && !stream.reader.isLevel; at++) await turn()
    // Events lost at the end are found by the comparison with Postgres.
    stream.reader.reach(log.length)
    for (let at = 0; at < 50 && stream.sent.length < log.length - from; at++) await turn()
    expect([seed, stream.sent]).toEqual([seed, log.slice(from).map(({ seq }) => seq)])
  }
})

test('a stream whose events were deleted meanwhile ends, and omits nothing silently', async () => {
  const stream = open([event(1), event(4), event(5)])
  stream.reader.start(1, 5)
  for (let at = 0; at < 5; at++) await turn()
  expect([stream.sent, stream.isOver()]).toEqual([[], true])
})

test('a failed read is repeated later', async () => {
  const stream = open([event(1), event(2)])
  stream.fail(true)
  stream.reader.start(0, 2)
  for (let at = 0; at < 5; at++) await turn()
  expect([stream.sent, stream.reader.isLevel]).toEqual([[], true])
  stream.fail(false)
  stream.reader.reach(2)
  for (let at = 0; at < 5; at++) await turn()
  expect(stream.sent).toEqual([1, 2])
})

test('events that a slow reader does not take are not kept for it, but read again', async () => {
  const stream = open([1, 2, 3, 4].map(event), { eventBytes: 200 * 1024 })
  stream.reader.start(0, 4)
  for (let at = 0; at < 5; at++) await turn()
  expect([stream.sent, stream.reads]).toEqual([[1, 2], [0]])
  stream.drain()
  while (stream.sent.length < 4) await turn()
  expect([stream.sent, stream.reads]).toEqual([
    [1, 2, 3, 4],
    [0, 2],
  ])
})

test('a reader that takes nothing is looked at less and less often', async () => {
  const stream = open([1, 2, 3].map(event), { eventBytes: 300 * 1024 })
  const began = performance.now()
  stream.reader.start(0, 3)
  // Two for the event that is sent; 20, 40, 80, 160 and 320 ms lie between the others.
  while (stream.looks() < 8) await turn()
  expect(performance.now() - began).toBeGreaterThan(600)
  stream.reader.end()
})
