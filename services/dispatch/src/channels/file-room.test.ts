import { expect, test } from '@jest/globals'
import { attachmentLimits } from '@notify/contracts'
import { createTenantRoom, type TenantRoom } from '@notify/service-kit'
import { acceptingRoom, createBatchRoom } from './file-room.ts'

const { mostOfTenant } = acceptingRoom
const megabyte = { length: 1024 * 1024 } as Buffer
const largest = { length: attachmentLimits.bytes } as Buffer

/** The room of a process, in which nobody waits. */
function newRoom() {
  const room = createTenantRoom(acceptingRoom)
  const now: TenantRoom = (tenantId) => room(tenantId, 0)
  const isFree = async () => {
    const leave = await room('one', 0)
    leave?.()
    return leave !== undefined
  }
  return { batch: createBatchRoom(now), isFree }
}

const codeOf = (read: Promise<unknown>) =>
  read.then(
    () => 'read',
    (error: { code: string }) => error.code,
  )

test('a batch keeps the room of its files until it is committed, and what finds none is refused for now', async () => {
  const { batch, isFree } = newRoom()
  const read = () => codeOf(batch.read('one', async () => ({ files: largest })))
  for (let count = 0; count < mostOfTenant; count++) expect(await read()).toBe('read')
  expect([await read(), await isFree()]).toEqual(['rate_limited', false])
  batch.leave()
  expect([await isFree(), await read()]).toEqual([true, 'read'])
})

test('the files of many messages together take only the room of their size', async () => {
  const { batch, isFree } = newRoom()
  const reads = Array.from({ length: (mostOfTenant - 1) * 7 }, () => async () => ({ files: megabyte }))
  for (const read of reads) expect(await codeOf(batch.read('one', read))).toBe('read')
  expect(await isFree()).toBe(true)
})

test('a batch reads only as many messages at a time as there is room for, and those without files or with a fault keep none', async () => {
  const { batch, isFree } = newRoom()
  const { promise, resolve } = Promise.withResolvers<{ files?: Buffer }>()
  const reads = Array.from({ length: mostOfTenant }, () => batch.read('one', () => promise))
  expect(await codeOf(batch.read('one', () => promise))).toBe('rate_limited')
  resolve({})
  await Promise.all(reads)
  expect(await codeOf(batch.read('one', () => Promise.reject({ code: 'a fault' })))).toBe('a fault')
  for (let count = 1; count < mostOfTenant; count++) await batch.read('one', async () => ({ files: largest }))
  expect(await isFree()).toBe(true)
})
