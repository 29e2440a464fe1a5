import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { hear, newId, send } from '@notify/test-kit/topic'
import { one, own, settled } from './stack.ts'

test('every event of every message is handled, and the handler gets its id', async () => {
  const ids: string[] = []
  const { durable, handled } = hear(one, own, {
    handle: (_n, { eventId, subject, redelivered }) => {
      expect([subject, redelivered]).toEqual([own.subject, false])
      ids.push(eventId)
    },
  })
  await send(one, own, [1, 2, 3], 'outbox-1')
  await send(one, own, [4], 'outbox-2')
  await settled(durable)
  expect(handled.toSorted()).toEqual([1, 2, 3, 4])
  expect(ids.toSorted()).toEqual(['outbox-1:0', 'outbox-1:1', 'outbox-1:2', 'outbox-2:0'])
  expect(one.kit.counted('consumer_events_total', { durable, result: 'done' })).toBe(4)
})

test('an event that was published before its consumer existed is handled', async () => {
  await send(one, own, [1])
  const { durable, handled } = hear(one, own)
  await eventually(() => expect(handled).toEqual([1]))
  await settled(durable)
})

test('the trace of an event continues in its handler, and an invalid one is ignored', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const traces = new Map<number, string | undefined>()
  hear(one, own, { handle: (n, { span }) => void traces.set(n, span.traceparent) })
  const events = [traceparent, 'nonsense', null].map((text, n) => ({ event: { kind: 'a', n }, traceparent: text }))
  await one.bus.js.publish(own.subject, JSON.stringify(events))
  await eventually(() => expect(traces.size).toBe(3))
  expect([traces.get(0), traces.get(1), traces.get(2)]).toEqual([traceparent, undefined, undefined])
})

test('a message without our header is identified by its position in the stream', async () => {
  const ids: string[] = []
  hear(one, own, { handle: (_n, { eventId }) => void ids.push(eventId) })
  const { seq } = await one.bus.js.publish(own.subject, JSON.stringify([{ event: { kind: 'a', n: 1 } }]))
  await eventually(() => expect(ids).toEqual([`CONSENT:${seq}:0`]))
})

test('a message that is published twice is stored once, and again under another publication id', async () => {
  const { handled, durable } = hear(one, own)
  const id = newId()
  const first = await send(one, own, [1], id)
  expect(await send(one, own, [1], id)).toBe(first)
  await settled(durable)
  expect(handled).toEqual([1])
})
