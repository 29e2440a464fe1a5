import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mintOperatorToken, type Stack } from '@notify/dev-env'
import { cpuTimes } from '../cpu-time.ts'
import { withForked } from '../forked.ts'
import { createJsonClient } from '../json-client.ts'
import { peakMiB } from '../resident-memory.ts'
import { createSmsClient } from '../sms-client.ts'
import { percentile } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import { type HostileRequest, reads, sends } from './hostile-requests.ts'
import { addHostileTenant } from './hostile-tenant.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 10)
/** Each attack first runs unmeasured, because a process compiles its code in its first seconds. */
const warmUpSeconds = 2
/** Runs only the attacks whose names contain this. */
const only = process.env.BENCH_ONLY ?? ''
/** Interval of each caller's requests, independent of responses. */
const everyMs = 20
/** The rate limit of one key. */
const hostilePerSecond = 100
const hostileOpen = 200
const targetMs = 100
const message = { to: '+15550100001', body: 'Your table is ready.' }

interface Latencies {
  neighbour: ReturnType<typeof summary>
  bystander: ReturnType<typeof summary>
}

/** The latency of a tenant's accepted SMS, alone and beside each attack of a hostile tenant at its rate limit. */
export function benchHostile(): Promise<object> {
  return withStack({ env: { all: { LOG_LEVEL: 'warn' } } }, (stack) =>
    withForked(join(import.meta.dirname, 'bystander-yardstick.ts'), async (port) => {
      // The processes are warmed up by another tenant, so that the budgets of the measured one are unused.
      const [warmingKey, key] = [await addHostileTenant(stack), await addHostileTenant(stack)]
      const { state, pids } = stack
      const { operator } = state
      const token = await mintOperatorToken(stack.url('identity-provider'), operator)
      const neighbour = createSmsClient(stack)
      const bystander = createJsonClient(stack, `http://127.0.0.1:${port}`)
      const callers = {
        neighbour: () => neighbour.post(message),
        bystander: () => bystander.post('/', message),
      }
      try {
        const attacksOf = (bearer: string) =>
          [
            ...Object.entries(sends).map(([name, request]) => ({ name, request, bearer })),
            ...Object.entries(reads).map(([name, request]) => ({ name, request, bearer: token })),
          ].filter(({ name }) => name.includes(only))
        for (const { request, bearer } of attacksOf(warmingKey)) {
          const { stop } = attack(stack, request, bearer)
          await measure(callers, warmUpSeconds)
          await stop()
        }
        const alone = await measure(callers, seconds)
        print('alone', alone)
        const beside: Record<string, Latencies> = {}
        const attacks = attacksOf(key)
        for (const { name, request, bearer } of attacks) {
          const { stop } = attack(stack, request, bearer)
          const before = cpuTimes(stack)
          beside[name] = await measure(callers, seconds)
          const cores = coresInUse(before, cpuTimes(stack))
          print(name, beside[name], await stop())
          const [gateway, dispatchApi] = [peakMiB(pids.gateway!), peakMiB(pids['dispatch-api']!)]
          console.log(`  cores: ${cores}\n  peak so far: gateway ${gateway} MiB, dispatch-api ${dispatchApi} MiB`)
          await delay(500)
        }
        const worst = Math.max(...Object.values(beside).map(({ neighbour }) => neighbour.p99_ms))
        const peak_mib = { gateway: peakMiB(pids.gateway!), dispatch_api: peakMiB(pids['dispatch-api']!) }
        return { within_target: worst <= targetMs, worst_p99_ms: worst, target_ms: targetMs, peak_mib, alone, beside }
      } finally {
        neighbour.close()
        bystander.close()
      }
    }),
  )
}

/** The latencies of both callers in the same seconds. The bystander's latency shows the share of the machine. */
async function measure(
  callers: Record<keyof Latencies, () => Promise<unknown>>,
  forSeconds: number,
): Promise<Latencies> {
  const [neighbour, bystander] = await Promise.all([
    sample(callers.neighbour, forSeconds),
    sample(callers.bystander, forSeconds),
  ])
  return { neighbour: summary(neighbour), bystander: summary(bystander) }
}

/** Latencies of requests at a fixed interval, in milliseconds. */
async function sample(call: () => Promise<unknown>, forSeconds: number): Promise<number[]> {
  const samples: Promise<number>[] = []
  const startMs = performance.now()
  while (performance.now() - startMs < forSeconds * 1000) {
    const sentMs = performance.now()
    samples.push(call().then(() => performance.now() - sentMs))
    await delay(Math.max(startMs + samples.length * everyMs - performance.now(), 0))
  }
  return Promise.all(samples)
}

/** Repeats the request at the rate limit until stopped. */
function attack(stack: Stack, { method, path, body }: HostileRequest, bearer: string) {
  const attacker = fork(join(import.meta.dirname, 'attacker-yardstick.ts'))
  attacker.send({
    url: `${stack.url('gateway')}${path}`,
    method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    text: body && JSON.stringify(body),
    perSecond: hostilePerSecond,
    open: hostileOpen,
  })
  return {
    /** @returns the responses by status */
    async stop(): Promise<Record<string, number>> {
      const reported = once(attacker, 'message')
      attacker.send('stop')
      const [answers] = await reported
      return answers
    },
  }
}

function summary(times: readonly number[]) {
  const tenth = (ms: number) => Math.round(ms * 10) / 10
  return { p50_ms: tenth(percentile(times, 0.5)), p99_ms: tenth(percentile(times, 0.99)), samples: times.length }
}

/** Average cores used by each process, without those below 0.03. */
function coresInUse(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string {
  return [...after]
    .map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / (seconds * 1000)] as const)
    .filter(([, cores]) => cores >= 0.03)
    .sort(([, a], [, b]) => b - a)
    .map(([name, cores]) => `${name} ${cores.toFixed(2)}`)
    .join(', ')
}

function print(title: string, { neighbour, bystander }: Latencies, answers: Record<string, number> = {}): void {
  const statuses = Object.entries(answers)
    .map(([status, count]) => `${count} × ${status === '0' ? 'none' : status}`)
    .join(', ')
  const [p50, p99, machine] = [neighbour.p50_ms, neighbour.p99_ms, bystander.p99_ms].map((ms) => String(ms).padStart(8))
  console.log(`${title.padEnd(28)} p50 ${p50} ms   p99 ${p99} ms   bystander's p99 ${machine} ms   ${statuses}`)
}
