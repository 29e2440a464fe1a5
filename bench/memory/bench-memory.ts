import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Stack, StackOptions } from '@notify/dev-env'
import { peakMiB, residentMiB } from '../resident-memory.ts'
import { withBundles } from '../with-bundles.ts'
import { withStack } from '../with-stack.ts'
import type { Flood } from './flood.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 12)
const floods = 3
const betweenMs = 2000
/** Time until the memory of the start is released. */
const settleMs = 5000
const idleSeconds = 60
const targetMiB = 200
/** The least ratio of the limit to the peak. */
const spare = 1.25

const root = join(import.meta.dirname, '..', '..')
const manifest = readFileSync(join(root, 'k8s/base/gateway/deployment.yaml'), 'utf8')
const [heapOption] = /--max-old-space-size=\d+/.exec(manifest)!
const limitMiB = Number(/limits: \{ memory: (\d+)Mi \}/.exec(manifest)![1])

/** The gateway's memory as its image runs on Kubernetes, under floods and in the minute of rest after them. Linux only. */
export function benchMemory(): Promise<object> {
  const limits = { RATE_LIMIT_KEY_PER_SECOND: '100000', RATE_LIMIT_TENANT_PER_SECOND: '100000' }
  return withBundles(['gateway'], ({ entryOf, env }) => {
    const options: Partial<StackOptions> = {
      services: ['gateway', 'dispatch-api', 'identity-provider'],
      entries: { gateway: entryOf('gateway') },
      env: {
        all: { LOG_LEVEL: 'fatal' },
        gateway: {
          ...env,
          NODE_OPTIONS: `${env.NODE_OPTIONS} ${heapOption}`,
          ...limits,
        },
      },
    }
    return withStack(options, measure)
  })
}

async function measure(stack: Stack): Promise<object> {
  const pid = stack.pids.gateway!
  const flood: Flood = { url: stack.url('gateway'), apiKey: stack.state.keys.all.api_key, seconds }
  await delay(settleMs)
  const idle_mib = residentMiB(pid)
  const answers: object[] = []
  for (let n = 0; n < floods; n++) {
    answers.push(await run(flood))
    await delay(betweenMs)
  }
  const afterwards: Record<string, number> = {}
  for (let s = 0; s <= idleSeconds; s += 10) {
    if (s > 0) await delay(10_000)
    afterwards[`after_${s}_s_mib`] = residentMiB(pid)
    console.log(`  ${s} s after the floods: ${residentMiB(pid)} MiB`)
  }
  const peak_mib = peakMiB(pid)
  const within_target = residentMiB(pid) < targetMiB && peak_mib * spare <= limitMiB
  return { within_target, target_mib: targetMiB, limit_mib: limitMiB, idle_mib, peak_mib, ...afterwards, answers }
}

/** @returns the responses by status */
async function run(flood: Flood): Promise<object> {
  const client = fork(join(import.meta.dirname, 'flood.ts'))
  client.send(flood)
  const [answers] = await once(client, 'message')
  return answers
}
