import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { portsFrom, reservePortBlock, type Stack, type StackOptions, startStack } from '@notify/dev-env'
import { type Load, type Measured, prepareLoad, runLoad } from '../load.ts'

const root = join(import.meta.dirname, '..', '..')
const connections = 64
const warmUpSeconds = 10
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const body = JSON.stringify({
  channel: 'sms',
  event_key: 'order.shipped',
  recipient: { phone: '+14155550100' },
  data: { name: 'Ada', order: 'A-1001' },
})

/**
 * How fast notifications are accepted, next to a bare Express 202 server under the same load: first with the delivery
 * workers paused, then with the whole pipeline running. The yardstick runs before and after each, since machines waver.
 */
export async function benchAccept(): Promise<object> {
  await prepareLoad(console.log)
  const paused = await compare('workers paused', { services: ['gateway', 'dispatch-api', 'identity-provider'] })
  const running = await compare('whole pipeline running', {})
  return {
    ratio: round(paused.ratio),
    ratio_running: round(running.ratio),
    express_rps: Math.round(paused.expressRps),
    paused: rounded(paused.ours),
    running: rounded(running.ours),
  }
}

async function compare(title: string, options: Partial<StackOptions>) {
  const before = await measureExpress()
  const ours = await withStack(options, measureGateway)
  const after = await measureExpress()
  const expressRps = (before.requestsPerSecond + after.requestsPerSecond) / 2
  const ratio = ours.requestsPerSecond / expressRps
  console.log(`${title}:`)
  print('  bare Express, before', before)
  print('  gateway', ours)
  print('  bare Express, after', after)
  console.log(`  ratio ${ratio.toFixed(3)}`)
  if (ours.refused + ours.broken > 0) throw new Error(`${ours.refused} answers were not 2xx, ${ours.broken} never came`)
  return { ratio, ours, expressRps }
}

async function measureExpress(): Promise<Measured> {
  const server = fork(join(import.meta.dirname, 'express-yardstick.ts'))
  try {
    const [port] = await once(server, 'message')
    const load: Load = { url: `http://127.0.0.1:${port}/`, headers: json, body, seconds: 3, connections }
    await runLoad(load)
    return await runLoad({ ...load, seconds: Math.min(seconds, 8) })
  } finally {
    server.disconnect()
    await once(server, 'exit')
  }
}

const json = { 'content-type': 'application/json' }

async function measureGateway(stack: Stack): Promise<Measured> {
  const load: Load = {
    url: `${stack.url('gateway')}/api/v1/notifications`,
    headers: { ...json, authorization: `Bearer ${stack.state.keys.all.api_key}` },
    body,
    seconds: warmUpSeconds,
    connections,
  }
  await runLoad(load)
  return runLoad({ ...load, seconds })
}

/** A durable stack of its own, in a folder that is removed afterwards. */
async function withStack<T>(options: Partial<StackOptions>, work: (stack: Stack) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'notify-bench-'))
  await chmod(dataDir, 0o755)
  const ports = await reservePortBlock()
  let stack: Stack | undefined
  try {
    // As behind the ingress of k8s/base: carriers reach the callbacks service without passing the gateway.
    const direct = { PUBLIC_URL: `http://127.0.0.1:${portsFrom(ports.base).process.callbacks}` }
    const env = { 'dispatch-api': direct, 'dispatch-worker': direct, callbacks: direct }
    stack = await startStack({ root, dataDir, portBase: ports.base, durable: true, logs: 'file', env, ...options })
    return await work(stack)
  } finally {
    await stack?.stop({ graceMs: 5000 })
    await ports.release()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function print(title: string, { requestsPerSecond, p50Ms, p99Ms }: Measured): void {
  const rate = Math.round(requestsPerSecond).toLocaleString('en')
  console.log(`${title.padEnd(26)} ${rate.padStart(8)} req/s   p50 ${p50Ms.toFixed(1)} ms   p99 ${p99Ms.toFixed(1)} ms`)
}

function rounded({ requestsPerSecond, p50Ms, p99Ms }: Measured) {
  return { rps: Math.round(requestsPerSecond), p50_ms: round(p50Ms), p99_ms: round(p99Ms) }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
