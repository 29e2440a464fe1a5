import { expect, test } from '@jest/globals'
import { createWindows, EarnedWindow } from './earned-window.ts'

function after(window: EarnedWindow, count: number, happens: (window: EarnedWindow) => void): number {
  for (let done = 0; done < count; done++) happens(window)
  return window.size
}
const success = (window: EarnedWindow) => window.succeeded()
const failure = (window: EarnedWindow) => window.failed()

test('an endpoint begins with one request at a time, earns one more for each success and has no more than it may', () => {
  const window = new EarnedWindow(64)
  expect([window.size, after(window, 9, success), after(window, 1000, success)]).toEqual([1, 10, 64])
})

test('each failure halves what it had, never below one, and what follows is earned more slowly', () => {
  const window = new EarnedWindow(64)
  after(window, 63, success)
  expect([after(window, 1, failure), after(window, 10, failure)]).toEqual([32, 1])
  expect(after(window, 9, success)).toBeLessThan(6)
  expect(after(window, 5000, success)).toBe(64)
})

test('windows are remembered by endpoint', () => {
  const windowOf = createWindows(64)
  windowOf('whsub_1').succeeded()
  expect([windowOf('whsub_1').size, windowOf('whsub_2').size]).toEqual([2, 1])
})
