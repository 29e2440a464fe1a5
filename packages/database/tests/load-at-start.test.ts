import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ServiceName } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { loadAtStart } from '../src/load-at-start.ts'
import { openDatabase, type Queries, type Run } from '../src/open.ts'

let env: TestEnv
const kits: TestKit[] = []

beforeAll(async () => {
  env = await TestEnv.start([])
  await env.sql('consent').query('create table things (id int primary key, name text not null)')
})
afterAll(async () => {
  for (const kit of kits) await kit.stop()
  await env?.stop()
})

/** A process of a service that starts. */
async function start(service: ServiceName): Promise<{ kit: TestKit; db: Queries }> {
  const kit = createTestKit(service)
  kits.push(kit)
  const config = { DATABASE_URL: env.stack.databaseUrl(service), DATABASE_POOL_SIZE: 2 }
  return { kit, db: await openDatabase(kit, { config }) }
}

test('processes of one service load one after the other; another service does not wait for them', async () => {
  const [first, second, other] = [await start('consent'), await start('consent'), await start('otp')]
  const order: string[] = []
  const { promise: release, resolve: finish } = Promise.withResolvers<void>()
  const loads = [
    loadAtStart(first.kit, first.db, async () => {
      order.push('first begins')
      await release
      order.push('first ends')
    }),
  ]
  await eventually(() => expect(order).toEqual(['first begins']))
  loads.push(loadAtStart(second.kit, second.db, async () => void order.push('second')))
  await loadAtStart(other.kit, other.db, async () => void order.push('other'))
  finish()
  await Promise.all(loads)
  expect(order).toEqual(['first begins', 'other', 'first ends', 'second'])
})

const save = (run: Run) =>
  run(`insert into things (id, name) values (1, 'loaded') on conflict (id) do update set name = excluded.name`)

test('a load that hits the lock timeout is retried', async () => {
  const { kit, db } = await start('consent')
  await db.run(`insert into things (id, name) values (1, 'x')`)
  const holder = await env.sql('consent').connect()
  await holder.query('begin; set local idle_in_transaction_session_timeout = 0; select * from things for update')
  const loaded = loadAtStart(kit, db, save)
  await eventually(() => expect(kit.lines).toContainEqual(expect.objectContaining({ level: 40, failures: 1 })))
  await holder.query('commit')
  holder.release()
  await loaded
  expect(await db.run('select * from things')).toEqual([{ id: 1, name: 'loaded' }])
})

test('a fault of the load itself ends the start at once', async () => {
  const { kit, db } = await start('consent')
  await expect(loadAtStart(kit, db, (run) => run('select 1 / 0'))).rejects.toThrow('division by zero')
  expect(kit.lines).toEqual([])
})
