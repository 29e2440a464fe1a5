import { expect, test } from '@jest/globals'
import { createBodyBudget } from './body-budget.ts'

const mebibyte = 1024 * 1024
const unneeded = () => {
  throw new Error('the address is not needed')
}

/** Takes as often as it can. @returns how often */
function fill(take: () => boolean): number {
  let count = 0
  while (take()) count++
  return count
}

/** A budget whose bodies are measured in MiB. */
function measured() {
  const budget = createBodyBudget()
  return {
    ofTenant: (tenantId: string, mebibytes: number) => budget(tenantId, unneeded).take(mebibytes * mebibyte),
    ofAddress: (address: string, mebibytes: number) => budget(undefined, () => address).take(mebibytes * mebibyte),
  }
}

test('the bodies of a tenant count together, and bytes that are released can be taken again', () => {
  const budget = createBodyBudget(100)
  const [first, second, other] = [budget('a', unneeded), budget('a', unneeded), budget('b', unneeded)]
  expect([first.take(40), second.take(11), second.take(10), first.take(1)]).toEqual([true, false, true, false])
  expect([other.take(26), other.take(25)]).toEqual([false, true])
  first.release()
  first.release()
  expect([second.take(28), second.take(27)]).toEqual([false, true])
  for (const share of [second, other]) share.release()
  expect([budget('b', unneeded).take(51), budget('b', unneeded).take(50)]).toEqual([false, true])
})

test('a tenant without bodies finds memory, however many other tenants take all that they may', () => {
  const { ofTenant } = measured()
  const taken = ['a', 'b', 'c', 'd', 'e'].map((tenantId) => fill(() => ofTenant(tenantId, 1)))
  expect(taken).toEqual([32, 16, 8, 4, 2])
  expect(ofTenant('f', 1)).toBe(true)
})

test('three batches of the largest size arrive at the same time, of one tenant or of three', () => {
  const [one, three] = [measured(), measured()]
  expect([one.ofTenant('a', 10), one.ofTenant('a', 10), one.ofTenant('a', 10)]).toEqual([true, true, true])
  expect([three.ofTenant('a', 10), three.ofTenant('b', 10), three.ofTenant('c', 10)]).toEqual([true, true, true])
})

test('callers without a verified tenant leave half to tenants, and each address leaves some to other addresses', () => {
  const { ofTenant, ofAddress } = measured()
  expect([17, 12, 4, 1].map((mebibytes) => ofAddress('a', mebibytes))).toEqual([false, true, true, false])
  const taken = ['b', 'c', 'd'].map((address) => fill(() => ofAddress(address, 1)))
  expect(taken).toEqual([8, 4, 2])
  for (let at = 0; at < 1000; at++) ofAddress(`address ${at}`, 0.25)
  expect([ofTenant('a', 10), ofTenant('b', 10)]).toEqual([true, true])
})

test('an address is no tenant of the same name', () => {
  const { ofTenant, ofAddress } = measured()
  expect([ofTenant('a', 30), ofAddress('a', 16)]).toEqual([true, true])
})
