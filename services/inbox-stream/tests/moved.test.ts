import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { type OpenSchema, useOwnSchema } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'
import { keepWaiting } from '../src/hand-offs/keep-waiting.ts'
import { exportTenant, importTenant } from '../src/moving/move-tenant.ts'
import { readHeads } from '../src/streams/event-store.ts'
import { addItems, handedItem, keyRing, resumeIn, tenantId } from './add-items.ts'

type Cell = OpenSchema & { url: string }
const cells: Cell[] = []
for (const _ of ['a', 'b'])
  useOwnSchema('inbox-stream', { migrations, poolSize: 1 }, ({ env, ...own }) => {
    cells.push({ ...own, url: env.stack.databaseUrl('inbox-stream') })
  })

const shared = { TRANSPORT_KEY: randomBytes(32).toString('base64'), ENCRYPTION_KEYS: keyRing }
const args = ['--tenant', tenantId]

async function* feed(lines: readonly string[]) {
  yield* lines
}

async function move(from: Cell, to: Cell): Promise<void> {
  const lines: string[] = []
  const out = { print: (line: string) => void lines.push(line), tell: () => {} }
  await exportTenant({ ...shared, DATABASE_URL: from.url }, createTestKit('inbox-stream'), args, out)
  const into = { lines: feed(lines), print: () => {} }
  await importTenant({ ...shared, DATABASE_URL: to.url }, createTestKit('inbox-stream'), args, into)
}

test('after a move no client takes an event that it lacks for one that the old cell has sent since', async () => {
  const [a, b] = cells as [Cell, Cell]
  await addItems(a.db, 'moved', 57)
  // Copied, and then handed over.
  for (let count = 0; count < 2; count++) await move(a, b)
  const [head] = await readHeads(b.db, ['moved'])
  // The old cell delivers what it had accepted.
  await addItems(a.db, 'moved', 2)
  await addItems(b.db, 'moved', 5)
  for (const lastEventId of [57, 58, 59])
    expect(await resumeIn(b.db, 'moved', lastEventId)).toMatchObject({ recovered: false })
  const level = { sent: head!.last_seq, recovered: true }
  expect(await resumeIn(b.db, 'moved', head!.last_seq)).toMatchObject(level)
})

test('a notification that waits for its predecessor stays in the old cell, where that is handed over', async () => {
  const [a, b] = cells as [Cell, Cell]
  await a.db.transaction((run) => keepWaiting(run, [handedItem('waits', newId('notif'))]))
  await move(a, b)
  expect(await a.db.run('select from waiting_items')).toHaveLength(1)
  expect(await b.db.run('select from waiting_items')).toEqual([])
})
