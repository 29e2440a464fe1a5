import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Report } from '@notify/carriers/receiving'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { eventually } from '@notify/dev-env'
import { useOwnSchema } from '@notify/test-kit/database'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'
import { createForwarding, type Forwarding } from '../src/moving/forward-callbacks.ts'

let db: Queries
useOwnSchema('callbacks', { migrations }, (own) => {
  db = own.db
})

const [tenantId, neighbour] = [newId('ten'), newId('ten')]
/** What the new cell got, through which cells, and what it answers. */
const got: string[] = []
const through: unknown[] = []
let status: number
const cell = createServer(async (request, response) => {
  through.push(request.headers['x-notify-cell'])
  got.push(await text(request))
  response.writeHead(status).end()
})
beforeAll(async () => {
  cell.listen(0, '127.0.0.1')
  await db.run(`insert into moved_tenants (tenant_id, cell) values ($1, 'new'), ($2, 'new')`, [tenantId, neighbour])
})
afterAll(() => void cell.close())

let kit: TestKit
let forwarding: Forwarding | undefined
beforeEach(() => {
  kit = createTestKit('callbacks')
  forwarding = undefined
  got.length = 0
  through.length = 0
  status = 503
})
afterEach(() => kit.stop())

/** Forwards a report of this type. @returns whether the new cell has it */
async function forward(type: Report['type'], of = tenantId, body = 'Body=STOP', headers = {}): Promise<boolean> {
  const CELLS = new Map([['new', `http://127.0.0.1:${(cell.address() as AddressInfo).port}`]])
  forwarding ??= createForwarding(kit, db, { CELL: 'old', CELLS, FORWARD_CALLBACKS_FOR: 3_600_000 })
  const report = { type, account: { tenantId: of } } as Report
  const callback = { method: 'POST', url: '/inbound', headers, body: Buffer.from(body) }
  return forwarding.forward([report], callback).then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ code: 'service_unavailable' })
      return false
    },
  )
}

test('a message that the new cell does not take is forwarded again, though the carrier may not repeat it', async () => {
  expect(await forward('message')).toBe(false)
  expect(got).toEqual(['Body=STOP'])
  status = 200
  await eventually(() => expect(got).toEqual(['Body=STOP', 'Body=STOP']))
  await kit.stop()
  expect(got).toHaveLength(2)
  expect(kit.lines.filter(({ level }) => level >= 50)).toEqual([])
})

test('when the process stops, a message is forwarded a last time, and logged if that fails', async () => {
  expect(await forward('message')).toBe(false)
  await kit.stop()
  expect(got).toHaveLength(2)
  expect(kit.lines).toContainEqual(expect.objectContaining({ level: 50, tenant_ids: [tenantId], cell: 'new' }))
})

test('a receipt that the new cell does not take is left to the carrier', async () => {
  expect(await forward('receipt')).toBe(false)
  await kit.stop()
  expect(got).toHaveLength(1)
})

test('hundreds of messages of one tenant leave room for those of another', async () => {
  await Promise.all(Array.from({ length: 600 }, () => forward('message')))
  expect(await forward('message', neighbour, 'Body=ARRET')).toBe(false)
  status = 200
  await eventually(() => expect(got.filter((body) => body === 'Body=ARRET')).toHaveLength(2))
  expect(kit.lines).toContainEqual(expect.objectContaining({ level: 50, tenant_ids: [tenantId] }))
  expect(kit.lines).not.toContainEqual(expect.objectContaining({ tenant_ids: [neighbour] }))
})

test('a message from another cell, which repeats it, takes no place of those that are forwarded again', async () => {
  const fromOlder = () => forward('message', tenantId, 'Body=STOP', { 'x-notify-cell': 'older' })
  await Promise.all(Array.from({ length: 130 }, fromOlder))
  expect(await forward('message', tenantId, 'Body=ARRET')).toBe(false)
  status = 200
  await eventually(() => expect(got.filter((body) => body === 'Body=ARRET')).toHaveLength(2))
  await kit.stop()
  expect(got.filter((body) => body === 'Body=STOP')).toHaveLength(130)
  expect(kit.lines.filter(({ level }) => level >= 50)).toEqual([])
})

test('a callback from a cell that the tenant was in before is forwarded, and never to a cell that it came through', async () => {
  status = 200
  const forwardFrom = (cells: string) => forward('message', tenantId, 'Body=STOP', { 'x-notify-cell': cells })
  expect(await forwardFrom('older,new')).toBe(true)
  expect(got).toEqual([])
  expect(await forwardFrom('older')).toBe(true)
  expect([got, through]).toEqual([['Body=STOP'], ['older,old']])
})
