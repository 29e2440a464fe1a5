import { expect, test } from '@jest/globals'
import { createRefusalCount } from './count-refusals.ts'

test('refusals are counted by tenant, and with more tenants than series those refused longest ago share one', () => {
  const refusals = createRefusalCount(2)
  const counted = () =>
    Object.fromEntries(refusals.readings().map(({ value, attributes }) => [attributes.tenant_id, value]))
  expect(counted()).toEqual({ other: 0 })
  for (const tenant of ['ten_a', 'ten_b', 'ten_a', 'ten_c']) refusals.count(tenant)
  expect(counted()).toEqual({ ten_a: 2, ten_c: 1, other: 1 })
  for (let i = 0; i < 100; i++) refusals.count(`ten_${i}`)
  expect(counted()).toEqual({ ten_98: 1, ten_99: 1, other: 102 })
})
