import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { hear, newId, type Process, send, startProcess, type Topic, topic } from '@notify/test-kit/topic'
import { PermanentError } from '../src/consumer.ts'

let env: TestEnv
let one: Process
let own: Topic

beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env.stop())
beforeEach(async () => {
  one = await startProcess(env)
  own = topic()
})
afterEach(() => one.kit.stop())

/** All published messages are acknowledged. */
const settled = (durable: string) =>
  eventually(async () => {
    const { num_pending, num_ack_pending } = await one.bus.jsm.consumers.info('CONSENT', durable)
    expect({ num_pending, num_ack_pending }).toEqual({ num_pending: 0, num_ack_pending: 0 })
  })

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

test('an event whose handler throws is redelivered after the declared delays, the last of which repeats', async () => {
  const times: number[] = []
  const { handled, durable } = hear(one, own, {
    retry: ['50ms', '400ms'],
    handle: () => {
      times.push(performance.now())
      if (times.length < 4) throw new Error('database away')
    },
  })
  await send(one, own, [1])
  await eventually(() => expect(handled).toHaveLength(4))
  await settled(durable)
  const waits = times.slice(1).map((time, index) => time - times[index]!)
  for (const [index, least] of [50, 400, 400].entries()) expect(waits[index]).toBeGreaterThanOrEqual(least - 5)
  expect(waits[0]).toBeLessThan(waits[1]!)
  expect(one.kit.lines.filter(({ msg }) => msg === 'event failed; it will be redelivered')).toMatchObject([
    { deliveries: 1, again_ms: 50 },
    { deliveries: 2, again_ms: 400 },
    { deliveries: 3, again_ms: 400 },
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

test('no more events than declared are handled at the same time, whatever messages they came in', async () => {
  let underWay = 0
  let most = 0
  const { handled, durable } = hear(one, own, {
    concurrency: 3,
    handle: async () => {
      most = Math.max(most, ++underWay)
      for (let i = 0; i < 10; i++) await new Promise(setImmediate)
      underWay--
    },
  })
  await Promise.all([
    send(one, own, [1, 2, 3, 4, 5, 6, 7, 8]),
    ...Array.from({ length: 12 }, (_, i) => send(one, own, [i])),
  ])
  await eventually(() => expect(handled).toHaveLength(20))
  await settled(durable)
  expect(most).toBe(3)
})

test('messages that wait for a slot longer than the ack wait are not redelivered', async () => {
  const redelivered: boolean[] = []
  const handle = async (_n: number, delivery: { redelivered: boolean }) => {
    redelivered.push(delivery.redelivered)
    const until = performance.now() + 300
    while (performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  // The last of twenty waits up to six seconds; the ack wait is less than half of it, and outlasts a pause of a busy machine.
  for (let n = 0; n < 20; n++) await send(one, own, [n])
  const { durable, handled } = hear(one, own, { concurrency: 1, ackWait: '2500ms', handle })
  const two = await startProcess(env)
  await eventually(() => expect(handled.length).toBeGreaterThan(0))
  const second = hear(two, own, { durable, concurrency: 1, ackWait: '2500ms', handle })
  await eventually(() => expect(handled.length + second.handled.length).toBeGreaterThanOrEqual(20))
  await settled(durable)
  await two.kit.stop()
  expect([...handled, ...second.handled].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n))
  expect(new Set(redelivered)).toEqual(new Set([false]))
})

test('two processes share the events of a durable: each is handled once', async () => {
  const two = await startProcess(env)
  const slow = async () => {
    for (let i = 0; i < 20; i++) await new Promise(setImmediate)
  }
  const first = hear(one, own, { concurrency: 2, handle: slow })
  const second = hear(two, own, { concurrency: 2, handle: slow })
  await Promise.all(Array.from({ length: 60 }, (_, i) => send(one, own, [i])))
  await eventually(() => expect(first.handled.length + second.handled.length).toBe(60))
  await settled(first.durable)
  await two.kit.stop()
  expect(new Set([...first.handled, ...second.handled]).size).toBe(60)
})

test('a stop finishes the events in progress and returns the rest to the next process, each once', async () => {
  const begun = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  const { handled, durable } = hear(one, own, {
    concurrency: 1,
    retry: ['10ms'],
    handle: () => {
      begun.resolve()
      return may.promise
    },
  })
  await send(one, own, [1])
  await begun.promise
  for (const n of [2, 3, 4]) await send(one, own, [n])
  let stopped = false
  const stop = one.kit.stop().then(() => {
    stopped = true
  })
  for (let i = 0; i < 20; i++) await new Promise(setImmediate)
  expect(stopped).toBe(false)
  may.resolve()
  await stop
  expect(handled).toEqual([1])

  one = await startProcess(env)
  const next = hear(one, own, { durable })
  await eventually(() => expect(next.handled.toSorted()).toEqual([2, 3, 4]), { timeoutMs: 5000 })
  await settled(durable)
})

test('a stop ends although NATS is down', async () => {
  const alone = await TestEnv.start([])
  try {
    const process = await startProcess(alone)
    const { handled } = hear(process, own)
    await send(process, own, [1])
    await eventually(() => expect(handled).toEqual([1]))
    await alone.kill('nats')
    await eventually(() => expect(process.kit.lines.some(({ msg }) => /lost the connection/.test(msg))).toBe(true))
    await process.kit.stop()
  } finally {
    await alone.stop()
  }
})

test('a deleted durable is recreated', async () => {
  const { handled, durable } = hear(one, own)
  await send(one, own, [1])
  await eventually(() => expect(handled).toEqual([1]))
  await one.bus.jsm.consumers.delete('CONSENT', durable)
  await send(one, own, [2])
  await eventually(() => expect(handled).toContain(2))
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

test("an event of a tenant is not delayed by thousands of another tenant's earlier ones", async () => {
  const gate = Promise.withResolvers<void>()
  const { handled, durable } = hear(one, own, { concurrency: 4, handle: () => gate.promise })
  const publishOf = (tenant_id: string, numbers: number[]) =>
    one.bus.js.publish(own.subject, JSON.stringify(numbers.map((n) => ({ event: { kind: 'a', n, tenant_id } }))))
  const many = 5000
  for (let from = 0; from < many; from += 100) {
    await publishOf(
      'ten_campaign',
      Array.from({ length: 100 }, (_, at) => from + at),
    )
  }
  await publishOf('ten_neighbour', [many])
  // All are read ahead while the first ones are still being handled.
  try {
    await eventually(async () => {
      expect((await one.bus.jsm.consumers.info('CONSENT', durable)).num_pending).toBe(0)
    })
  } finally {
    gate.resolve()
  }
  await eventually(() => expect(handled).toContain(many))
  expect(handled.indexOf(many)).toBeLessThan(100)
  await settled(durable)
  expect(handled.filter((n) => n < many)).toEqual(Array.from({ length: many }, (_, n) => n))
})
