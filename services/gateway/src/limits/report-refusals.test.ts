import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { createRefusalReport } from './report-refusals.ts'

test('the tenants over their limits are logged together, the one refused most first', async () => {
  const { log, lines } = createTestKit('gateway')
  const report = createRefusalReport(log, { forMs: 20 })
  for (const tenant of ['ten_a', 'ten_b', 'ten_b']) report(tenant)
  await eventually(() => expect(lines).toHaveLength(1))
  expect(Object.entries(lines[0]!.refused as object)).toEqual([
    ['ten_b', 2],
    ['ten_a', 1],
  ])
  report('ten_c')
  await eventually(() => expect(lines).toHaveLength(2))
  expect(lines[1]).toMatchObject({ refused: { ten_c: 1 }, tenants: 1 })
})

test('one line names at most twenty tenants, and counts all', async () => {
  const { log, lines } = createTestKit('gateway')
  const report = createRefusalReport(log, { forMs: 20 })
  for (let i = 0; i < 30; i++) report(`ten_${i}`)
  await eventually(() => expect(lines).toHaveLength(1))
  expect([Object.keys(lines[0]!.refused as object).length, lines[0]!.tenants]).toEqual([20, 30])
})
