import { expect, test } from '@jest/globals'
import pino from 'pino'
import { Lifecycle } from './lifecycle.ts'

/** A logger whose lines can be read. */
function linesOf(): { log: pino.Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { log, lines }
}

test('resources end in the reverse order of their making, each after the one before has ended', async () => {
  const steps: string[] = []
  const lifecycle = new Lifecycle(linesOf().log)
  for (const name of ['postgres', 'nats', 'http']) {
    lifecycle.onStop(name, async () => {
      steps.push(`${name} begins`)
      await new Promise(setImmediate)
      steps.push(`${name} ended`)
    })
  }
  await lifecycle.stop()
  expect(steps).toEqual(['http begins', 'http ended', 'nats begins', 'nats ended', 'postgres begins', 'postgres ended'])
})

test('a resource that fails to end does not keep the others, and is named', async () => {
  const ended: string[] = []
  const { log, lines } = linesOf()
  const lifecycle = new Lifecycle(log)
  lifecycle.onStop('postgres', () => ended.push('postgres'))
  lifecycle.onStop('nats', () => Promise.reject(new Error('gone')))
  lifecycle.onStop('http', () => {
    throw new Error('stuck')
  })
  await lifecycle.stop()
  expect(ended).toEqual(['postgres'])
  expect(lines.filter(({ level }) => level === 50).map(({ resource }) => resource)).toEqual(['http', 'nats'])
})

test('a resource sees at its own stop that the process stops', async () => {
  const lifecycle = new Lifecycle(linesOf().log)
  let seen = false
  lifecycle.onStop('lane', () => {
    seen = lifecycle.stopping
  })
  await lifecycle.stop()
  expect(seen).toBe(true)
})

test('however often a stop is asked for, everything ends once', async () => {
  let ends = 0
  const lifecycle = new Lifecycle(linesOf().log)
  lifecycle.onStop('postgres', () => ends++)
  expect(lifecycle.stopping).toBe(false)
  const stops = [lifecycle.stop(), lifecycle.stop()]
  expect(lifecycle.stopping).toBe(true)
  await Promise.all(stops)
  await lifecycle.stop()
  expect(ends).toBe(1)
})
