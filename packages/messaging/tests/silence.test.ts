import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, type FaultProxy, startFaultProxy, TestEnv } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { type Process, send, sendOnce, startProcess, topic } from '@notify/test-kit/topic'
import { connectBus } from '../src/connect.ts'
import { readNatsLogin } from '../src/nats-login.ts'

let env: TestEnv
let proxy: FaultProxy
let one: Process

beforeAll(async () => {
  env = await TestEnv.start([])
  proxy = await startFaultProxy(() => env.stack.natsUrl)
  one = await startProcess(env, proxy.via(env.stack.natsUrl))
  one.kit.health.setReady(true)
})
afterAll(async () => {
  await one.kit.stop()
  await proxy.stop()
  await env.stop()
})

/** Publishes after the reconnection. */
const publishSoon = () => send(one, topic(), [1])

test('a silent connection is replaced within seconds, and publications on it fail', async () => {
  proxy.swallowOpen()
  const began = performance.now()
  await expect(sendOnce(one, topic(), [1])).rejects.toThrow()
  await publishSoon()
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('a server that no longer reads is disconnected, even with much still to be sent, and is not ready meanwhile', async () => {
  proxy.hold()
  const much = Buffer.alloc(900_000)
  for (let i = 0; i < 40; i++) one.bus.connection.publish('silence.much', much)
  await eventually(async () => expect(await one.kit.health.failures()).toEqual(['nats']))
  await proxy.recover()
  await publishSoon()
  expect(await one.kit.health.failures()).toEqual([])
})

test('a start without a response from the server continues once it responds', async () => {
  proxy.swallowNew()
  const kit = createTestKit('consent')
  const login = readNatsLogin({ NATS_URL: proxy.via(env.stack.natsUrl) })
  const starting = connectBus(kit, { login, requiredForReady: true })
  await eventually(() => expect(kit.lines).toMatchObject([{ msg: expect.stringContaining('waiting for NATS') }]))
  await proxy.recover()
  await starting
  await kit.stop()
})
