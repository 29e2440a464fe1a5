import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { hear, send } from '@notify/test-kit/topic'
import { PermanentError } from '../../src/consumer.ts'
import { one, own, settled } from './stack.ts'

test('an event whose handler throws is redelivered after the declared delays, the last of which repeats', async () => {
  const times: number[] = []
  const { handled, durable } = hear(one, own, {
    retry: ['50ms', '1500ms'],
    handle: () => {
      times.push(performance.now())
      if (times.length < 4) throw new Error('database away')
    },
  })
  await send(one, own, [1])
  await eventually(() => expect(handled).toHaveLength(4))
  await settled(durable)
  const waits = times.slice(1).map((time, index) => time - times[index]!)
  for (const [index, least] of [50, 1500, 1500].entries()) expect(waits[index]).toBeGreaterThanOrEqual(least - 5)
  expect(one.kit.lines.filter(({ msg }) => msg === 'event failed; it will be redelivered')).toMatchObject([
    { deliveries: 1, again_ms: 50 },
    { deliveries: 2, again_ms: 1500 },
    { deliveries: 3, again_ms: 1500 },
  ])
})

test('an event that fails permanently moves to the dead letters at once, and is not redelivered', async () => {
  const { handled, letters, durable } = hear(one, own, {
    handle: () => {
      throw new PermanentError('the credentials do not fit')
    },
  })
  await send(one, own, [1], 'outbox-7')
  await eventually(() => expect(letters).toHaveLength(1))
  await settled(durable)
  expect(letters).toEqual([
    {
      eventId: 'outbox-7:0',
      owner: '',
      durable,
      subject: own.subject,
      event: '{"kind":"a","n":1}',
      reason: 'the credentials do not fit',
    },
  ])
  expect(handled).toEqual([1])
})

test('an event that does not fit its schema never reaches the handler', async () => {
  const { handled, letters, durable } = hear(one, own)
  await send(one, own, ['one'])
  await eventually(() => expect(letters).toHaveLength(1))
  await settled(durable)
  expect(letters[0]!.reason).toMatch(/^the event does not match its schema: n /)
  expect(handled).toEqual([])
})

test('one bad event of a message does not block the others', async () => {
  const { handled, letters, durable } = hear(one, own, {
    handle: (n) => {
      if (n === 2) throw new PermanentError('two')
    },
  })
  await send(one, own, [1, 2, 'three', 4])
  await settled(durable)
  expect(handled.toSorted()).toEqual([1, 2, 4])
  expect(letters.map(({ reason }) => reason).toSorted()).toEqual([
    'the event does not match its schema: n Invalid input: expected number, received string',
    'two',
  ])
})

test('an event that fails temporarily causes a redelivery of its message, with the same ids', async () => {
  const seen: [number, string, boolean][] = []
  const { durable } = hear(one, own, {
    handle: (n, { eventId, redelivered }) => {
      seen.push([n, eventId, redelivered])
      if (n === 2 && !redelivered) throw new Error('database away')
    },
  })
  await send(one, own, [1, 2], 'outbox-9')
  await eventually(() => expect(seen).toHaveLength(4))
  await settled(durable)
  expect(seen.filter(([, , redelivered]) => redelivered)).toEqual([
    [1, 'outbox-9:0', true],
    [2, 'outbox-9:1', true],
  ])
})

test('an event whose dead letter cannot be stored is not terminated', async () => {
  let tries = 0
  const { durable } = hear(one, own, {
    handle: () => {
      throw new PermanentError('never')
    },
    keepDeadLetter: async () => {
      if (++tries < 3) throw new Error('database away')
    },
  })
  await send(one, own, [1])
  await eventually(() => expect(tries).toBe(3))
  await settled(durable)
  expect(one.kit.counted('consumer_events_total', { result: 'dead' })).toBe(1)
})

test.each(['not JSON', '{"event":1}', '"text"', 'null', ''])(
  'a message that is not a list of events (%j) becomes one dead letter, and the next one is handled',
  async (text) => {
    const { handled, letters, durable } = hear(one, own)
    const { seq } = await one.bus.js.publish(own.subject, text)
    await send(one, own, [1])
    await eventually(() => expect(handled).toEqual([1]))
    await settled(durable)
    expect((await one.bus.jsm.consumers.info('CONSENT', durable)).num_redelivered).toBe(0)
    expect(letters).toMatchObject([{ eventId: `CONSENT:${seq}`, event: text, wholeMessage: true }])
    const { time } = await one.bus.jsm.streams.getMessage('CONSENT', { seq }).then((stored) => stored!)
    expect(letters[0]!.retryUntil!.getTime()).toBe(time.getTime() + 24 * 60 * 60 * 1000)
  },
)
test('an entry that is not an event does not affect the other events of the message', async () => {
  const { handled, letters, durable } = hear(one, own)
  await one.bus.js.publish(own.subject, JSON.stringify([null, { event: { kind: 'a', n: 1 } }, 7, {}]))
  await settled(durable)
  expect(handled).toEqual([1])
  expect(letters).toHaveLength(3)
  expect(letters.map(({ event }) => event)).toEqual(['null', '7', 'null'])
})
