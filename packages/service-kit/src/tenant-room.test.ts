import { expect, test } from '@jest/globals'
import { createTenantRoom } from './tenant-room.ts'

const soon = () => performance.now() + 5000

test('a tenant has half of the room, leaves some to those that have nothing, and its next message enters when one leaves', async () => {
  const enter = createTenantRoom({ most: 6, mostOfTenant: 3 })
  const leaves = await Promise.all([1, 2, 3].map(() => enter('a', soon())))
  let entered = false
  const next = enter('a', soon()).then((leave) => {
    entered = true
    return leave
  })
  const others = await Promise.all(['b', 'b', 'c'].map((tenant) => enter(tenant, soon())))
  expect([entered, others.every((leave) => leave)]).toEqual([false, true])
  for (const leave of [others[0], others[1], leaves[0]]) leave!()
  expect(await next).toBeInstanceOf(Function)
})

test('a message that waits for too long gets no room, and takes none', async () => {
  const enter = createTenantRoom({ most: 6, mostOfTenant: 3 })
  const leaves = await Promise.all([1, 2, 3].map(() => enter('a', soon())))
  expect(await enter('a', performance.now() + 10)).toBeUndefined()
  for (const leave of leaves) leave!()
  expect(await Promise.all([1, 2, 3].map(() => enter('a', soon())))).toEqual(leaves.map(() => expect.any(Function)))
})

test('however many tenants take all they may, another one finds room', async () => {
  const enter = createTenantRoom({ most: 12, mostOfTenant: 4 })
  const taken: string[] = []
  for (const tenant of ['a', 'b', 'c'])
    for (const _ of [1, 2, 3, 4]) if (await enter(tenant, performance.now())) taken.push(tenant)
  expect(taken.join('')).toBe('aaaabbbbcc')
  expect(await enter('d', performance.now())).toBeInstanceOf(Function)
})

test('tenants that wait take turns, however many tasks of one wait', async () => {
  const enter = createTenantRoom({ most: 2, mostOfTenant: 1 })
  const [first] = [await enter('a', soon()), await enter('b', soon())]
  const order: string[] = []
  const wait = async (tenant: string) => {
    const leave = await enter(tenant, soon())
    order.push(tenant)
    setImmediate(leave!)
  }
  const all = [...Array.from({ length: 100 }, () => wait('a')), wait('c')]
  first!()
  await Promise.all(all)
  expect(order.indexOf('c')).toBeLessThan(3)
})
