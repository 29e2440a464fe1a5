import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceName, serviceNames } from '@notify/contracts'
import type { ServiceProcess, StackOptions } from '@notify/dev-env'
import { residentMiB } from '../resident-memory.ts'
import { percentile, round } from '../statistics.ts'
import { withBundles } from '../with-bundles.ts'
import { withStack } from '../with-stack.ts'

const processes: Record<ServiceProcess, ServiceName> = {
  gateway: 'gateway',
  'dispatch-api': 'dispatch',
  'dispatch-worker': 'dispatch',
  'dispatch-sender': 'dispatch',
  otp: 'otp',
  consent: 'consent',
  'inbox-stream': 'inbox-stream',
  callbacks: 'callbacks',
  'webhook-delivery': 'webhook-delivery',
}
const startsEach = 3
/** Time until the memory of the start is released. */
const settleMs = 10_000

/** Start to ready and idle memory of each service, from its sources and as a bundle; one process starts at a time. Linux only. */
export function benchIdle(): Promise<object> {
  return withBundles(serviceNames, async ({ entryOf, env }) => {
    const entries = Object.entries(processes).map(([name, service]) => [name, entryOf(service)])
    const sources = await measure({})
    const bundled = await measure({ entries: Object.fromEntries(entries), env: { all: env } })
    return { sources, bundled }
  })
}

function measure(options: Partial<StackOptions>): Promise<Record<string, { ready_s: number; rss_mib: number }>> {
  return withStack(options, async (stack) => {
    const found: [ServiceProcess, { ready_s: number; rss_mib: number }][] = []
    for (const name of Object.keys(processes) as ServiceProcess[]) {
      if (!stack.pids[name]) continue
      const seconds: number[] = []
      for (let start = 0; start < startsEach; start++) {
        await stack.kill(name)
        const begunMs = performance.now()
        await stack.restart(name)
        seconds.push((performance.now() - begunMs) / 1000)
      }
      found.push([name, { ready_s: round(percentile(seconds, 0.5)), rss_mib: 0 }])
    }
    await delay(settleMs)
    for (const [name, one] of found) {
      one.rss_mib = residentMiB(stack.pids[name]!)
      console.log(`  ${name}: ready after ${one.ready_s} s, ${one.rss_mib} MiB`)
    }
    return Object.fromEntries(found)
  })
}
