import { beforeAll, expect, test } from '@jest/globals'
import { eventually } from '../src/eventually.ts'
import { TestEnv } from '../src/test-env/test-env.ts'
import { keptProcesses } from '../src/together/kept-processes.ts'

const shared = ['gateway', 'carrier-sandbox', 'identity-provider'] as const

async function start() {
  const env = await TestEnv.start(['gateway'])
  const { pids } = env.stack
  expect(new Set(shared.map((name) => pids[name])).size).toBe(1)
  return { env, pid: pids.gateway!, stop: () => env.stop() }
}

const exists = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

// One that earlier files have used ends after its next system when it has grown large.
beforeAll(() => {
  for (const kept of keptProcesses()?.values() ?? []) for (const process of kept.splice(0)) process.kill()
})

test('a system runs in the process that an earlier one has left, with its own secrets, data and log', async () => {
  const first = await start()
  const oldKey = first.env.apiKey
  await first.stop()
  const second = await start()
  expect(second.pid).toBe(first.pid)
  expect((await second.env.api('GET', '/api/v1/me', { key: oldKey })).status).toBe(401)
  expect((await second.env.api('GET', '/api/v1/me')).status).toBe(200)
  const log = second.env.logs('carrier-sandbox')
  expect(log.match(/carrier-sandbox listens/g)).toHaveLength(1)
  await second.stop()
})

test('a process that several members of a system ask to stop at the same moment is kept', async () => {
  const startApart = async () => {
    const env = await TestEnv.start(['gateway'], { apart: ['gateway'] })
    return { env, pid: env.stack.pids['carrier-sandbox']! }
  }
  const first = await startApart()
  await first.env.stop()
  const second = await startApart()
  const pids = Object.values(second.env.stack.pids)
  await second.env.stop()
  expect(pids).toContain(first.pid)
})

test('nothing of a stopped system listens any more', async () => {
  const { env, stop } = await start()
  const urls = Object.values(env.urls)
  await stop()
  expect(urls).toHaveLength(3)
  for (const url of urls) await expect(fetch(`${url}/readyz`)).rejects.toThrow('fetch failed')
})

test('two systems at the same time have a process each', async () => {
  const [one, two] = await Promise.all([start(), start()])
  expect(one.pid).not.toBe(two.pid)
  await Promise.all([one.stop(), two.stop()])
})

test('a process that was killed is not used again', async () => {
  const first = await start()
  await first.env.kill('gateway')
  await first.stop()
  await eventually(() => expect(exists(first.pid)).toBe(false))
  const second = await start()
  expect(second.pid).not.toBe(first.pid)
  await second.stop()
})

test('a service alone runs in a process of its own, and is started again after its end', async () => {
  const env = await TestEnv.start(['gateway'], { apart: ['gateway'] })
  const { gateway, 'carrier-sandbox': sandbox } = env.stack.pids
  expect(gateway).not.toBe(sandbox)
  await env.kill('gateway')
  await expect(env.api('GET', '/api/v1/me')).rejects.toThrow()
  await env.restart('gateway')
  expect(env.stack.pids.gateway).not.toBe(gateway)
  expect((await env.api('GET', '/api/v1/me')).status).toBe(200)
  await env.stop()
})
