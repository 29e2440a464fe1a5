import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { closedPort } from '@notify/test-kit/http'
import pino from 'pino'
import { Health } from '../health.ts'
import { Lifecycle } from '../lifecycle.ts'
import { startPeriodic } from '../periodic.ts'
import { startMetrics } from './metrics.ts'
import { measureProcess } from './process-metrics.ts'
import type { Reading } from './sums.ts'

let port: number
const lifecycle = new Lifecycle(pino({ level: 'silent' }))
const health = new Health()
let redisIsAway = false
let seats: Reading[] = []
let slowMs = 0
beforeAll(async () => {
  port = await closedPort()
  const metrics = await startMetrics({ host: '127.0.0.1', port }, { lifecycle, health })
  measureProcess(metrics, { lifecycle, health })
  metrics.gauge('seats', 'Of a tribune', () => seats)
  metrics.gauge('queue', 'Before the tribune', () => delay(slowMs, 1))
  health.prefer('redis', () => {
    if (redisIsAway) throw new Error('disconnected')
  })
})
afterAll(() => lifecycle.stop())

async function value(series: string): Promise<number | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.split(' ')[1])
}

test('a series of a gauge ends when nothing is measured for it any more', async () => {
  seats = [
    { value: 1, attributes: { row: 'a' } },
    { value: 2, attributes: { row: 'b' } },
  ]
  expect([await value('seats{row="a"}'), await value('seats{row="b"}')]).toEqual([1, 2])
  seats = seats.slice(1)
  expect([await value('seats{row="a"}'), await value('seats{row="b"}')]).toEqual([undefined, 2])
})

test('a scrape that begins during another one gets every series, too', async () => {
  seats = [{ value: 3, attributes: { row: 'c' } }]
  slowMs = 600
  const scrapes = [value('seats{row="c"}'), delay(200).then(() => value('seats{row="c"}'))]
  expect(await Promise.all(scrapes)).toEqual([3, 3])
  slowMs = 0
})

test('a process is seen as not ready while it starts and while a condition fails', async () => {
  expect(await value('process_ready')).toBe(0)
  health.setReady(true)
  expect(await value('process_ready')).toBe(1)
  health.require('postgres', () => {
    throw new Error('no connection')
  })
  expect(await value('process_ready')).toBe(0)
})

test('a periodic task that keeps failing is seen with the time from its first to its last failure, until it works', async () => {
  const series = 'process_task_failing_seconds{task="tidy"}'
  let rounds = 0
  let isFailing = true
  startPeriodic(
    { log: pino({ level: 'silent' }), lifecycle },
    {
      name: 'tidy',
      everyMs: 20,
      async run() {
        rounds++
        if (isFailing) throw new Error('away')
      },
    },
  )
  while (rounds < 3) await new Promise(setImmediate)
  expect((await value(series))!).toBeGreaterThan(0)
  isFailing = false
  while ((await value(series)) !== undefined) await new Promise(setImmediate)
})

test('an optional dependency that is away is seen from its first failure', async () => {
  const series = 'process_dependency_degraded{dependency="redis"}'
  expect(await value(series)).toBe(0)
  redisIsAway = true
  expect(await value(series)).toBe(1)
})

test('CPU time is counted', async () => {
  const before = (await value('process_cpu_seconds_total'))!
  const untilMs = performance.now() + 50
  while (performance.now() < untilMs) JSON.stringify(process.versions)
  expect((await value('process_cpu_seconds_total'))!).toBeGreaterThan(before)
})

test('the time of the start is the same at every scrape', async () => {
  const startedAt = (await value('process_start_time_seconds'))!
  expect(startedAt).toBeLessThanOrEqual(Date.now() / 1000)
  expect(Date.now() / 1000 - startedAt).toBeCloseTo(process.uptime(), 0)
  await delay(20)
  expect(await value('process_start_time_seconds')).toBe(startedAt)
})
