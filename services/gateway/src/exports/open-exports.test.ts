import { expect, test } from '@jest/globals'
import { createOpenExports } from './open-exports.ts'

const tenants = (count: number) => Array.from({ length: count }, (_, at) => `ten_${at}`)
const codeOf = (begin: () => unknown) => {
  try {
    begin()
    return undefined
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a tenant may have four exports until half of the slots are taken, and then one', () => {
  const exports = createOpenExports()
  for (const tenant of tenants(4)) for (let n = 0; n < 4; n++) exports.begin(tenant)
  expect(codeOf(() => exports.begin('ten_0'))).toBe('export_limit_reached')
  const end = exports.begin('ten_new')
  expect(codeOf(() => exports.begin('ten_new'))).toBe('export_limit_reached')
  end()
  expect(codeOf(() => exports.begin('ten_new'))).toBeUndefined()
})

test('a process has at most as many open exports as its limit, for all callers together', () => {
  const exports = createOpenExports()
  const ends = tenants(32).map((tenant) => exports.begin(tenant))
  expect(codeOf(() => exports.begin('ten_new'))).toBe('service_unavailable')
  ends[0]!()
  expect(codeOf(() => exports.begin('ten_new'))).toBeUndefined()
  expect(exports.count()).toBe(32)
})
