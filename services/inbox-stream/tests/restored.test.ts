import { expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'
import { useOwnSchema } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'
import { afterRestore } from '../src/restore/after-restore.ts'
import { readHeads } from '../src/streams/event-store.ts'
import { addItems, resumeIn } from './add-items.ts'

let db: Queries
let env: TestEnv
useOwnSchema('inbox-stream', { migrations, poolSize: 1 }, (own) => {
  db = own.db
  env = own.env
})

const add = (key: string, count: number) => addItems(db, key, count)
const resume = (key: string, lastEventId: number) => resumeIn(db, key, lastEventId)

async function restored(...args: string[]) {
  const kit = createTestKit('inbox-stream')
  const lines: object[] = []
  const config = { DATABASE_URL: env.stack.databaseUrl('inbox-stream') }
  const given = ['--sent-until', new Date().toISOString(), ...args]
  await afterRestore(config, kit, given, (line) => lines.push(JSON.parse(line))).finally(() => kit.stop())
  return lines
}

test('after a restore no client takes an event that it lacks for one that it has, in old inboxes and in new ones', async () => {
  await add('of the backup', 90)
  expect(await resume('of the backup', 90)).toMatchObject({ recovered: true })
  expect(await restored()).toEqual([{ found: 'inboxes', count: 1 }])
  expect(await restored('--settle')).toEqual([
    { found: 'inboxes', count: 1 },
    { settled: 'inboxes', count: 1 },
  ])
  const [head] = await readHeads(db, ['of the backup'])
  await add('of the backup', 15)
  await add('made since the backup', 15)
  // The lost database had sent 100 events of the one and 5 of the other.
  for (const [key, lastEventId] of [
    ['of the backup', 90],
    ['of the backup', 100],
    ['made since the backup', 5],
  ] as const)
    expect(await resume(key, lastEventId)).toMatchObject({ recovered: false })
  for (const key of ['of the backup', 'made since the backup'])
    expect(await resume(key, head!.last_seq)).toMatchObject({ sent: head!.last_seq, recovered: true })
  expect(await db.run(`select min(seq), max(seq)::int from inbox_events where seq > 90`)).toEqual([
    { min: head!.last_seq + 1, max: head!.last_seq + 15 },
  ])
})

test('a second restore of the same backup sets inboxes behind what was sent since the first', async () => {
  await add('twice', 3)
  await restored('--sent-until', '2030-01-01T00:00:00Z', '--settle')
  await add('twice', 10)
  const [lost] = await readHeads(db, ['twice'])
  await db.run(`update inboxes set last_seq = 3, pruned_seq = 0 where key = 'twice'`)
  await restored('--sent-until', '2030-01-01T00:01:00Z', '--settle')
  await add('twice', 20)
  expect(await resume('twice', lost!.last_seq)).toMatchObject({ recovered: false })
})
