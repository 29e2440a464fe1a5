import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, serviceProcesses } from '@notify/dev-env'
import { closeIdleConnectionsSoon } from '@notify/test-kit/idle-connections'
import { type Balanced, type BalancedReplica, joinReplica, startBalanced } from './restarts/behind-balancers.ts'
import { cheapKindsOf, kindsOf } from './restarts/kinds.ts'
import { lostCalls, startLoad } from './restarts/load.ts'

/** Part of `npm run failover`; restarts.test.ts replaces all services once. */
const testWhenLong = process.env.FAILOVER === 'long' ? test : test.skip
const replacements = 20
const drainDelay = '5s'
/** Requests between two replacements. */
const between = 40

let balanced: Balanced
let undo: () => void = () => {}
beforeAll(async () => {
  undo = closeIdleConnectionsSoon()
  balanced = await startBalanced()
})
afterAll(async () => {
  await balanced?.stop()
  undo()
})

/** Sends requests of every kind during the work. @returns how many, and those that failed */
async function under(work: (grows: () => Promise<void>) => Promise<void>) {
  const { env } = balanced
  const loads = [startLoad(await kindsOf(env), 2000), startLoad(cheapKindsOf(env), 80)]
  const count = () => loads.reduce((sum, load) => sum + load.count(), 0)
  const grows = async () => {
    const before = count()
    await eventually(() => expect(count()).toBeGreaterThan(before + between), { timeoutMs: 30_000 })
  }
  await grows()
  await work(grows)
  await grows()
  await Promise.all(loads.map((load) => load.stop()))
  return { requests: count(), failures: loads.flatMap(({ failures, late }) => [...failures, ...late]) }
}

testWhenLong(
  'while 20 replicas come and go one after another, no request fails, and none of as many without them',
  async () => {
    const beganMs = performance.now()
    let output = ''
    const restarted = await under(async (grows) => {
      for (let at = 0; at < replacements; at++) {
        const replica: BalancedReplica = await joinReplica(
          balanced,
          serviceProcesses[at % serviceProcesses.length]!,
          drainDelay,
        )
        await grows()
        await replica.leave()
        expect(replica.child.exitCode).toBe(0)
        output += replica.output()
      }
    })
    const lastedMs = performance.now() - beganMs
    const control = await under(async (grows) => {
      let requests = 0
      for (; requests < restarted.requests; requests += between) await grows()
    })
    const seconds = Math.round(lastedMs / 1000)
    console.log(`${restarted.requests} requests in ${seconds} s beside the replacements, ${control.requests} without`)
    const hasFailed = restarted.failures.length + control.failures.length > 0
    const causes = hasFailed ? lostCalls(balanced.env, output) : []
    expect({ restarted: restarted.failures, control: control.failures, causes }).toEqual({
      restarted: [],
      control: [],
      causes: [],
    })
  },
  600_000,
)
