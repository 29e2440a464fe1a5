import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bundleImage } from '@notify/bundle'
import { serviceNames } from '@notify/contracts'
import type { ServiceProcess, StackOptions } from '@notify/dev-env'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'

const root = join(import.meta.dirname, '..', '..')
const processes: Record<ServiceProcess, string> = {
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
/** Until the memory of the start is given back. */
const settleMs = 10_000

/** Start to ready and idle memory of each service, from its sources and as a bundle; one process starts at a time. Linux only. */
export async function benchIdle(): Promise<object> {
  mkdirSync(join(root, '.local'), { recursive: true })
  const out = mkdtempSync(join(root, '.local', 'bundles-'))
  try {
    for (const service of serviceNames) await bundleImage(service, join(out, service))
    const bundles = Object.entries(processes).map(([name, service]) => [
      name,
      join(relative(root, out), service, 'main.mjs'),
    ])
    const sources = await measure({})
    const bundled = await measure({ entries: Object.fromEntries(bundles), env: { all: imageEnvironment(out) } })
    return { sources, bundled }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

/** As in infra/Dockerfile; the first start of each process fills the cache. */
function imageEnvironment(out: string): Record<string, string> {
  return {
    NODE_OPTIONS: '--enable-source-maps',
    NODE_COMPILE_CACHE: join(out, '.compile-cache'),
    MALLOC_ARENA_MAX: '2',
  }
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

function residentMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kib) / 1024)
}
