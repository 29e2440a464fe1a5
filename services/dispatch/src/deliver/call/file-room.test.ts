import { expect, test } from '@jest/globals'
import { createFileRoom } from './file-room.ts'

const soon = () => performance.now() + 5000

test('a tenant has half of the room, and its next message enters when one leaves', async () => {
  const enter = createFileRoom()
  const leaves = await Promise.all([1, 2, 3].map(() => enter('a', soon())))
  let entered = false
  const next = enter('a', soon()).then((leave) => {
    entered = true
    return leave
  })
  const others = await Promise.all([1, 2, 3].map(() => enter('b', soon())))
  expect([entered, others.every((leave) => leave)]).toEqual([false, true])
  others[0]!()
  leaves[0]!()
  expect(await next).toBeInstanceOf(Function)
})

test('a message that waits for too long gets no room, and takes none', async () => {
  const enter = createFileRoom()
  const leaves = await Promise.all([1, 2, 3].map(() => enter('a', soon())))
  expect(await enter('a', performance.now() + 10)).toBeUndefined()
  for (const leave of leaves) leave!()
  expect(await Promise.all([1, 2, 3].map(() => enter('a', soon())))).toEqual(leaves.map(() => expect.any(Function)))
})
