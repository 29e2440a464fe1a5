import { expect, test } from '@jest/globals'
import pino from 'pino'
import { startClaiming } from './claiming.ts'
import { Lifecycle } from './lifecycle.ts'

const hour = 3_600_000

/** Starts claims of these tasks, one list for each; each task lasts until it is ended. */
function claiming(rounds: readonly string[][], { atLeastMs = hour }: { atLeastMs?: number } = {}) {
  const lines: { msg: string; [field: string]: unknown }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const lifecycle = new Lifecycle(log)
  const left = [...rounds]
  const claims: string[] = []
  const tasks = new Map<string, PromiseWithResolvers<void>>()
  startClaiming<string>(
    { log, lifecycle },
    {
      name: 'tasks',
      everyMs: hour,
      atLeastMs,
      async claim(inHand) {
        claims.push(inHand.join())
        return left.shift() ?? []
      },
      work(task) {
        tasks.set(task, Promise.withResolvers())
        return tasks.get(task)!.promise
      },
    },
  )
  return { lines, claims, stop: () => lifecycle.stop(), task: (name: string) => tasks.get(name)! }
}

const settled = async () => {
  for (let i = 0; i < 10; i++) await new Promise(setImmediate)
}

test('a claim follows while tasks are in hand, which it learns', async () => {
  const { claims, task, stop } = claiming([['a', 'b'], [], ['c'], []], { atLeastMs: 1 })
  while (claims.length < 4) await settled()
  expect(claims.slice(0, 4)).toEqual(['', 'a,b', 'a,b', 'a,b,c'])
  for (const name of ['a', 'b', 'c']) task(name).resolve()
  await stop()
})

test('the end of the last task in hand leads to a claim at once, the end of another only after the shortest wait', async () => {
  const { claims, task, stop } = claiming([['a', 'b'], [], ['c'], []])
  await settled()
  expect(claims).toEqual(['', 'a,b'])
  task('a').resolve()
  await settled()
  expect(claims).toEqual(['', 'a,b'])
  task('b').resolve()
  await settled()
  expect(claims).toEqual(['', 'a,b', '', 'c'])
  task('c').resolve()
  await stop()
})

test('a task that fails is logged, and claims go on', async () => {
  const { claims, lines, task, stop } = claiming([['a'], [], ['b'], []])
  await settled()
  task('a').reject(new Error('no'))
  await settled()
  expect(lines).toMatchObject([{ task: 'tasks', msg: 'a claimed task failed; it will be repeated' }])
  expect(claims).toEqual(['', 'a', '', 'b'])
  task('b').resolve()
  await stop()
})

test('the stop waits for the tasks in hand, and no claim follows', async () => {
  const { claims, task, stop } = claiming([['a'], [], ['b']])
  await settled()
  let stopped = false
  const stopping = stop().then(() => {
    stopped = true
  })
  await settled()
  expect(stopped).toBe(false)
  task('a').resolve()
  await stopping
  expect(claims).toEqual(['', 'a'])
})
