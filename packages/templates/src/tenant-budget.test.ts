import { expect, test } from '@jest/globals'
import { createTenantBudget } from './tenant-budget.ts'

test('time that was taken is missing until it has passed; tenants have their own', () => {
  let nowMs = 0
  const budget = createTenantBudget({ msPerSecond: 100, nowMs: () => nowMs })
  budget.spend('a', 250)
  expect([budget.has('a'), budget.has('b')]).toEqual([false, true])
  nowMs = 1499
  expect(budget.has('a')).toBe(false)
  nowMs = 1501
  expect(budget.has('a')).toBe(true)
})

test('nothing is saved up beyond a second', () => {
  let nowMs = 0
  const budget = createTenantBudget({ msPerSecond: 100, nowMs: () => nowMs })
  nowMs = 60_000
  budget.spend('a', 100)
  expect(budget.has('a')).toBe(false)
})
