import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mintOperatorToken, type Stack } from '@notify/dev-env'
import { createSmsClient, type SmsClient } from '../sms-client.ts'
import { percentile } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import { type HostileRequest, reads, sends } from './hostile-requests.ts'
import { addHostileTenant } from './hostile-tenant.ts'
import { peakMemory } from './peak-memory.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 10)
/** Runs only the attacks whose names contain this. */
const only = process.env.BENCH_ONLY ?? ''
/** Interval of the neighbour's requests, independent of responses. */
const neighbourEveryMs = 20
/** The rate limit of one key. */
const hostilePerSecond = 100
const hostileOpen = 200
const targetMs = 100

/** The latency of a tenant's accepted SMS, alone and beside each attack of a hostile tenant at its rate limit. */
export function benchHostile(): Promise<object> {
  return withStack({ env: { all: { LOG_LEVEL: 'warn' } } }, async (stack) => {
    const key = await addHostileTenant(stack)
    const { operator } = stack.state
    const token = await mintOperatorToken(stack.url('identity-provider'), operator)
    const neighbour = createSmsClient(stack)
    try {
      await measure(neighbour, 3)
      const alone = summary(await measure(neighbour, seconds))
      print('alone', alone)
      const beside: Record<string, ReturnType<typeof summary>> = {}
      const attacks = [
        ...Object.entries(sends).map(([name, request]) => ({ name, request, bearer: key })),
        ...Object.entries(reads).map(([name, request]) => ({ name, request, bearer: token })),
      ].filter(({ name }) => name.includes(only))
      for (const { name, request, bearer } of attacks) {
        const { stop } = attack(stack, request, bearer)
        beside[name] = summary(await measure(neighbour, seconds))
        print(name, beside[name], await stop())
        console.log(
          `  peak so far: gateway ${peakMemory(stack, 'gateway')} MiB, dispatch-api ${peakMemory(stack, 'dispatch-api')} MiB`,
        )
        await delay(500)
      }
      const worst = Math.max(...Object.values(beside).map(({ p99_ms }) => p99_ms))
      const peak_mib = { gateway: peakMemory(stack, 'gateway'), dispatch_api: peakMemory(stack, 'dispatch-api') }
      return { within_target: worst <= targetMs, worst_p99_ms: worst, target_ms: targetMs, peak_mib, alone, beside }
    } finally {
      neighbour.close()
    }
  })
}

/** Latencies of the neighbour's requests, in milliseconds. */
async function measure(neighbour: SmsClient, forSeconds: number): Promise<number[]> {
  const samples: Promise<number>[] = []
  const startMs = performance.now()
  while (performance.now() - startMs < forSeconds * 1000) {
    const sentMs = performance.now()
    samples.push(
      neighbour.post({ to: '+15550100001', body: 'Your table is ready.' }).then(() => performance.now() - sentMs),
    )
    await delay(Math.max(startMs + samples.length * neighbourEveryMs - performance.now(), 0))
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
      const told = once(attacker, 'message')
      attacker.send('stop')
      const [answers] = await told
      return answers
    },
  }
}

function summary(times: readonly number[]) {
  const tenth = (ms: number) => Math.round(ms * 10) / 10
  return { p50_ms: tenth(percentile(times, 0.5)), p99_ms: tenth(percentile(times, 0.99)), samples: times.length }
}

function print(
  title: string,
  { p50_ms, p99_ms }: ReturnType<typeof summary>,
  answers: Record<string, number> = {},
): void {
  const statuses = Object.entries(answers)
    .map(([status, count]) => `${count} × ${status === '0' ? 'none' : status}`)
    .join(', ')
  console.log(
    `${title.padEnd(28)} p50 ${String(p50_ms).padStart(7)} ms   p99 ${String(p99_ms).padStart(8)} ms   ${statuses}`,
  )
}
