import { expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { hear, send, startProcess } from '@notify/test-kit/topic'
import { env, one, own, settled, startConsuming } from './stack.ts'

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
    const until = performance.now() + 600
    while (performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  // The last of twenty waits up to twelve seconds; the ack wait is less than half of it, and outlasts a pause of a busy machine.
  for (let n = 0; n < 20; n++) await send(one, own, [n])
  const { durable, handled } = hear(one, own, { concurrency: 1, ackWait: '5s', handle })
  const two = await startProcess(env)
  await eventually(() => expect(handled.length).toBeGreaterThan(0))
  const second = hear(two, own, { durable, concurrency: 1, ackWait: '5s', handle })
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
    // What the stop does not return comes after this.
    ackWait: '5m',
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

  await startConsuming()
  const next = hear(one, own, { durable, ackWait: '5m' })
  await eventually(() => expect(next.handled.toSorted()).toEqual([2, 3, 4]))
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
