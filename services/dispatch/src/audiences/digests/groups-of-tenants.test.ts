import { expect, test } from '@jest/globals'
import { groupsOf } from './groups-of-tenants.ts'

const digest = (tenant_id: `ten_${string}`, joined: number) => ({ tenant_id, joined })

test('many digests of few items are closed before few of many items, those of a tenant together', () => {
  const [first, large, second] = [digest('ten_b', 1), digest('ten_a', 10_000), digest('ten_b', 2)]
  expect(groupsOf([first, large, second])).toEqual([[first, second], [large]])
  expect(groupsOf([large, first, second])).toEqual([[first, second], [large]])
  expect(groupsOf([])).toEqual([])
})
