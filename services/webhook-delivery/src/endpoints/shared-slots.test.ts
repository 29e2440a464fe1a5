import { expect, test } from '@jest/globals'
import { SharedSlots } from './shared-slots.ts'

test('a tenant alone gets half of the slots, and further ones find slots at once', () => {
  const places = new SharedSlots(256)
  expect(places.take('ten_1', 1000)).toBe(128)
  expect(places.take('ten_1', 1)).toBe(0)
  expect(places.take('ten_2', 1000)).toBe(64)
  expect(places.take('ten_3', 1000)).toBe(32)
})

test('tenants that want all slots end up with as many each as stay free', () => {
  const places = new SharedSlots(300)
  const held = new Map([
    ['ten_1', 0],
    ['ten_2', 0],
  ])
  const tenants = [...held.keys()]
  for (let round = 0; round < 1000; round++) {
    for (const tenant of tenants) held.set(tenant, held.get(tenant)! + places.take(tenant, 1000))
    const [most] = tenants.toSorted((a, b) => held.get(b)! - held.get(a)!)
    places.release(most!, 1)
    held.set(most!, held.get(most!)! - 1)
  }
  for (const count of [...held.values(), places.free]) expect(Math.abs(count - 100)).toBeLessThanOrEqual(2)
})

test('the last slot can be taken, and a released one is free again', () => {
  const places = new SharedSlots(1)
  expect([places.take('ten_1', 5), places.take('ten_2', 5)]).toEqual([1, 0])
  places.release('ten_1', 1)
  expect([places.free, places.rooms()]).toEqual([1, { known: {}, other: 1 }])
})

test('while more slots are held than there are, none is free, and none is made by taking', () => {
  const places = new SharedSlots(4)
  // Others took the last ones while a claim was under way.
  places.hold('ten_1', 6)
  expect([places.free, places.take('ten_2', 1)]).toEqual([0, 0])
  places.release('ten_1', 2)
  expect([places.free, places.take('ten_2', 1)]).toEqual([0, 0])
  places.release('ten_1', 4)
  expect([places.free, places.rooms()]).toEqual([4, { known: {}, other: 2 }])
})
