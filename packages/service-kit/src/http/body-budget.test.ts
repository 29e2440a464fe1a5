import { expect, test } from '@jest/globals'
import { createBodyBudget } from './body-budget.ts'

test('one address takes its part, all together the whole, and what is released can be taken again', () => {
  const budget = createBodyBudget({ totalBytes: 100, addressBytes: 60 })
  const [first, second, other, third] = [budget(() => 'a'), budget(() => 'a'), budget(() => 'b'), budget(() => 'c')]
  expect([first.take(40), second.take(30), second.take(20), first.take(1)]).toEqual([true, false, true, false])
  expect([other.take(41), other.take(40), third.take(1)]).toEqual([false, true, false])
  first.release()
  first.release()
  expect([third.take(41), third.take(40), second.take(1)]).toEqual([false, true, false])
  for (const share of [second, other, third]) share.release()
  expect([budget(() => 'a').take(60), budget(() => 'b').take(41), budget(() => 'b').take(40)]).toEqual([
    true,
    false,
    true,
  ])
})

test('an address takes more than its part while it leaves as much free', () => {
  const mebibyte = 1024 * 1024
  const budget = createBodyBudget()
  const take = (address: string, mebibytes: number) => budget(() => address).take(mebibytes * mebibyte)
  expect([take('a', 9), take('a', 9), take('a', 9), take('a', 9)]).toEqual([true, true, true, false])
  expect([take('b', 16), take('c', 16), take('d', 9), take('d', 5)]).toEqual([true, true, false, true])
})
