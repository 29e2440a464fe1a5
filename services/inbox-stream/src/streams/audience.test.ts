import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { Audience, type Listener } from './audience.ts'
import type { InboxEvent } from './inbox-event.ts'
import type { LiveHearer } from './live-bus.ts'
import { type InboxWriter, Reader } from './reader.ts'

const event = (seq: number): InboxEvent => ({
  seq,
  kind: 'read_all',
  item_id: null,
  unread_count: 0,
  content: null,
  created_at: null,
})

/** An audience of two streams that have everything before `next`. */
function open(next: number) {
  const encoded: number[] = []
  const sent: number[] = []
  let hearer: LiveHearer | undefined
  const audience = new Audience(
    { tenant_id: newId('ten'), application_id: newId('app'), inbox_key: 'inbox' },
    {
      live: {
        listen(_: unknown, given: LiveHearer) {
          hearer = given
          return () => {}
        },
      } as never,
      read: async () => [],
      encode(_, { seq }) {
        encoded.push(seq)
        return { text: Buffer.from(String(seq)), chunk: Buffer.alloc(0) }
      },
      onGap() {},
      onFailure() {},
    },
  )
  const writer: InboxWriter = {
    ...{ send() {}, end() {}, bufferedBytes: 0, isClosed: false },
    sendEncoded: ({ text }) => void sent.push(Number(text)),
  }
  for (let count = 0; count < 2; count++) {
    const listener: Listener = { reader: new Reader(writer, audience), expiresAtMs: 0 }
    listener.reader.start(next - 1, next - 1)
    audience.listeners.add(listener)
  }
  return { audience, hear: (...events: InboxEvent[]) => hearer!.onEvents(events), encoded, sent }
}

test('events from the bus are encoded once for all streams of a user', () => {
  const { hear, encoded, sent } = open(1)
  hear(event(1), event(2))
  expect([encoded, sent]).toEqual([
    [1, 2],
    [1, 1, 2, 2],
  ])
})

test('nothing that was encoded is kept: streams would keep it for hours, and its bytes are counted nowhere', () => {
  const { audience, hear, encoded } = open(2)
  const replayed = event(1)
  audience.encode(replayed)
  audience.encode(replayed)
  const live = event(2)
  hear(live)
  audience.encode(live)
  expect(encoded).toEqual([1, 1, 2, 2])
})
