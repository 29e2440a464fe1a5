import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import pino from 'pino'
import { createDelayedWrite } from './delayed-write.ts'
import { Lifecycle } from './lifecycle.ts'

const delayMs = 50

function setUp() {
  const lifecycle = new Lifecycle(pino({ level: 'silent' }))
  let writes = 0
  const write = async () => void writes++
  return {
    lifecycle,
    count: () => writes,
    changed: createDelayedWrite({ lifecycle }, { name: 'test', delayMs, write }),
  }
}

test('changes within the delay are written once, and later ones again', async () => {
  const { changed, count } = setUp()
  for (let n = 0; n < 5; n++) changed()
  expect(count()).toBe(0)
  await delay(4 * delayMs)
  expect(count()).toBe(1)
  changed()
  await delay(4 * delayMs)
  expect(count()).toBe(2)
})

test('the stop writes what waits, and nothing is written after it', async () => {
  const { lifecycle, changed, count } = setUp()
  changed()
  await lifecycle.stop()
  expect(count()).toBe(1)
  await delay(4 * delayMs)
  expect(count()).toBe(1)
})
