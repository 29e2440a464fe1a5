import os from 'node:os'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createHostResolver } from '../src/index.ts'
import { type NameServer, startNameServer } from './name-server.ts'

/** Nobody waits for it where DNS answers, however busy the machine is. */
const patientMs = 60_000

let server: NameServer
beforeEach(async () => {
  server = await startNameServer()
})
afterEach(() => server.close())

const resolver = (answerMs = patientMs) => createHostResolver({ servers: [server.address], answerMs })
const failureOf = (lookup: Promise<unknown>) =>
  lookup.then(
    () => undefined,
    ({ code, isOurs = false }) => ({ code, isOurs }),
  )

test.each([
  ['mute', 'ETIMEOUT'],
  ['servfail', 'ESERVFAIL'],
  ['refused', 'EREFUSED'],
  ['missing', 'ENOTFOUND'],
])('%s of one name is the fault of its owner while DNS answers', async (beginning, code) => {
  // The root, which is asked next, has a third of it.
  const answerMs = beginning === 'mute' ? 6000 : patientMs
  expect(await failureOf(resolver(answerMs)(`${beginning}.example.com`, 'ten_1'))).toEqual({ code, isOurs: false })
})

test('a name whose servers ignore questions for IPv6 addresses has its IPv4 addresses', async () => {
  const startedMs = performance.now()
  expect(await resolver(6000)('four.example.com', 'ten_1')).toEqual(['8.8.8.8'])
  // A fifth of the time, in which two tries may have no answer.
  expect(performance.now() - startedMs).toBeLessThan(3500)
})

test('a lost question is asked again if this machine cannot reach the addresses of the other one', async () => {
  const [ipv4] = Object.values(os.networkInterfaces()).flatMap(
    (all) => all?.filter(({ family }) => family === 'IPv4') ?? [],
  )
  const interfaces = jest.spyOn(os, 'networkInterfaces').mockReturnValue({ eth0: [{ ...ipv4!, internal: false }] })
  try {
    expect(await resolver(6000)('lost.example.com', 'ten_1')).toContain('8.8.8.8')
  } finally {
    interfaces.mockRestore()
  }
})

test('a resolver that answers nothing is our own fault', async () => {
  server.isMute = true
  expect(await failureOf(resolver(300)('good.example.com', 'ten_1'))).toEqual({ code: 'ETIMEOUT', isOurs: true })
})

test('names of three tenants that fail together are our own fault, until a name is answered', async () => {
  const resolve = resolver()
  const fail = (tenant: number, name: string) => failureOf(resolve(`servfail-${name}.example.com`, `ten_${tenant}`))
  const first = [await fail(1, 'a'), await fail(2, 'b'), await fail(3, 'c')]
  expect(first.map((failure) => failure?.isOurs)).toEqual([false, false, true])
  expect(await resolve('good.example.com', 'ten_4')).toEqual(['8.8.8.8'])
  expect(await fail(1, 'd')).toEqual({ code: 'ESERVFAIL', isOurs: false })
})

test('a failure answers the same name for some seconds, and one question all who ask at the same moment', async () => {
  const resolve = resolver()
  const ask = (tenant: number) => failureOf(resolve('missing.example.com', `ten_${tenant}`))
  const failures = await Promise.all([ask(1), ask(1), ask(2)])
  expect([...failures, await ask(1)]).toEqual(Array(4).fill({ code: 'ENOTFOUND', isOurs: false }))
  expect(server.asked).toEqual(['missing.example.com'])
})

/** Works after the time for which a failure is kept, before the first retry of a webhook, which comes after 4 s. */
async function afterFailure<T>(work: () => Promise<T>): Promise<T> {
  const now = performance.now.bind(performance)
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 3900)
  try {
    return await work()
  } finally {
    clock.mockRestore()
  }
}

test('a name is asked again before the first retry of a webhook, 4 s after it failed', async () => {
  const resolve = resolver()
  const ask = () => failureOf(resolve('missing.example.com', 'ten_1'))
  await ask()
  await afterFailure(ask)
  expect(server.asked).toHaveLength(2)
})

test('a tenant has a few questions under way, and those of others do not wait for them', async () => {
  // A third of it, the first of two tries, is longer than further names wait: none of them is asked when the first have ended.
  const resolve = createHostResolver({ servers: [server.address], answerMs: 9000 })
  const crowd = Array.from({ length: 100 }, (_, at) => failureOf(resolve(`mute-${at}.example.com`, 'ten_1')))
  expect(await resolve('good.example.com', 'ten_2')).toEqual(['8.8.8.8'])
  expect(new Set(server.asked).size).toBeLessThanOrEqual(17)
  // The further ones give up before they were asked, which is no fault of their names.
  const failures = await Promise.all(crowd)
  expect(failures).toContainEqual({ code: 'EBUSY', isOurs: false })
  expect(new Set(server.asked).size).toBeLessThanOrEqual(17)
})

test('names that had no answer delay no other name of their tenant', async () => {
  const resolve = resolver(3000)
  const askMute = () => Array.from({ length: 16 }, (_, at) => failureOf(resolve(`mute-${at}.example.com`, 'ten_1')))
  await Promise.all(askMute())
  await afterFailure(async () => {
    const mute = askMute()
    expect(await resolve('good.example.com', 'ten_1')).toEqual(['8.8.8.8'])
    await Promise.all(mute)
  })
})
