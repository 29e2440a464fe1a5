import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { closeIdleConnectionsSoon } from '@notify/test-kit/idle-connections'
import { type Replicated, startReplicated } from './restarts/behind-balancers.ts'
import { cheapKindsOf, kindsOf } from './restarts/kinds.ts'
import { brokenCalls, lostCalls, startLoad } from './restarts/load.ts'
import { type Reader, startReader } from './restarts/readers.ts'

let replicated: Replicated
let readers: readonly Reader[] = []
let undo: () => void = () => {}
beforeAll(async () => {
  undo = closeIdleConnectionsSoon()
  // Much longer than connections stay idle: on a busy machine the timers that close them are late.
  replicated = await startReplicated('15s')
})
afterAll(async () => {
  for (const { close } of readers) close()
  await replicated?.stop()
  undo()
})

test('while every service is replaced under traffic of every kind, no request fails and no stream event is lost', async () => {
  const { env, old } = replicated
  readers = await Promise.all(Array.from({ length: 5 }, () => startReader(env)))
  const reader = () => readers[Math.floor(Math.random() * readers.length)]!
  let sent = 0
  const sends = {
    'in-app to a reader': async () => {
      sent += 1
      return reader().send()
    },
  }
  const kinds = await kindsOf(env)
  // The first requests of a process take many times as long; all kinds at once kept a busy machine from answering in time.
  for (const request of Object.values(kinds)) await request()
  const load = startLoad({ ...kinds, ...sends }, 2000)
  // Keeps connections in use all the time.
  const busy = startLoad(cheapKindsOf(env), 160)
  const grows = async (by: number) => {
    const before = load.count()
    await eventually(() => expect(load.count()).toBeGreaterThan(before + by))
  }
  await grows(50)
  await replicated.replace()
  expect(old.child.exitCode).toBe(0)
  await grows(50)
  await Promise.all([load.stop(), busy.stop()])
  // On a busy machine the time of some may run out, though nothing was lost.
  const late = [...load.late, ...readers.flatMap((one) => one.late)]
  const isOften = late.length > load.count() / 20 || busy.late.length > busy.count() / 20
  const failures = [...load.failures, ...busy.failures, ...(isOften ? [...late, ...busy.late] : [])]
  expect([...failures, ...(failures.length > 0 ? lostCalls(env, old.output()) : [])]).toEqual([])
  expect(late.length + busy.late.length > 0 ? brokenCalls(env, old.output()) : []).toEqual([])
  await eventually(() => expect(readers.flatMap(({ ids }) => ids)).toHaveLength(sent))
  for (const { ids, retries, ...reader } of readers) {
    expect(ids).toEqual(ids.map((_id, at) => at + 1))
    expect([reader.failures, retries.length > 0]).toEqual([[], true])
  }
})
