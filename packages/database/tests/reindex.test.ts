import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { createBlindIndex, createIndexRenewal, type IndexKeys, keysFingerprint, parseKeyRing } from '@notify/privacy'
import { createTestKit } from '@notify/test-kit/kit'
import { deadLetterTables } from '../src/dead-letters/tables.ts'
import type { Migrations } from '../src/migrations/migration.ts'
import { openDatabase } from '../src/open.ts'
import { outboxTables } from '../src/outbox/tables.ts'
import { beginRenewal } from '../src/reindex/key-record.ts'
import { reindexCommand } from '../src/reindex/reindex-command.ts'
import { renewIndexes } from '../src/reindex/renew-indexes.ts'
import type { IndexedTable } from '../src/reindex/renewal-statements.ts'
import { blindIndexTables } from '../src/reindex/tables.ts'
import { startProcess } from './schema.ts'

const [one, two, three] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const keyRing = parseKeyRing(`2026:${randomBytes(32).toString('base64')}`)
const aad = (tenant: string, id: string) => `people|${tenant}|${id}`
const migrations: Migrations = [
  ...outboxTables,
  ...deadLetterTables,
  ...blindIndexTables,
  {
    name: '0001-people',
    transaction: [
      `create table people (id text primary key, tenant_id text not null, recipient_index text not null, filters jsonb, sealed bytea)`,
      'create index people_by_index on people (recipient_index)',
      'create table visits (recipient_index text not null, number int not null, primary key (recipient_index, number))',
    ],
  },
]
const tables: readonly IndexedTable[] = [
  {
    table: 'visits',
    indexes: ['recipient_index'],
    tenant: '(select tenant_id from people p where p.recipient_index = visits.recipient_index)',
  },
  {
    table: 'people',
    indexes: ['id', 'recipient_index'],
    documents: { filters: 'jsonb' },
    sealed: { table: 'people', column: 'sealed', key: 'id', aadFrom: ['tenant_id', 'id'], aad },
  },
]
const refused = 'BLIND_INDEX_KEY differs from the one in the database: run main.mjs reindex'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start([])
  const { kit } = await startProcess(env, { migrations })
  await kit.stop()
})
afterAll(() => env?.stop())

const sql = async (statement: string, values: unknown[] = []) =>
  (await env.sql('consent').query(statement, values)).rows
const configOf = (keys: IndexKeys) => ({
  DATABASE_URL: env.stack.databaseUrl('consent'),
  DATABASE_POOL_SIZE: 1,
  BLIND_INDEX_KEY: keys,
  ENCRYPTION_KEYS: keyRing,
})
const indexOf = (keys: IndexKeys, recipient: string, tenant = 'ten_1') => createBlindIndex(keys)(tenant, recipient)

beforeEach(async () => {
  await sql('truncate people, visits, outbox, dead_letters, blind_index_keys')
  await sql('insert into blind_index_keys (keys) values ($1)', [keysFingerprint([one])])
})

/** Runs the command in this process. @returns its log */
async function reindex(keys: IndexKeys) {
  const kit = createTestKit('consent')
  await reindexCommand(tables)(configOf(keys), kit, []).finally(() => kit.stop())
  return kit.lines
}

async function addPerson(recipient: string, tenant = 'ten_1', keys: IndexKeys = [one]): Promise<void> {
  const index = indexOf(keys, recipient, tenant)
  const id = `list_1.${index}`
  const values = [
    id,
    tenant,
    index,
    { recipient_index: index, status: 'sent' },
    keyRing.encrypt(recipient, aad(tenant, id)),
  ]
  await sql('insert into people values ($1, $2, $3, $4, $5)', values)
}

const recordedKeys = async () => (await sql('select keys, becoming, reached from blind_index_keys'))[0]

test('every index, also in keys, in documents and in an AAD, becomes that of the longer list; what was erased stays', async () => {
  await addPerson('+15551230001')
  await addPerson('+15551230001', 'ten_2')
  await sql(`insert into people values ('list_1.erased', 'ten_1', 'erased list_1', null, null)`)
  const old = indexOf([one], '+15551230001')
  await sql('insert into visits values ($1, 1), ($1, 2)', [old])
  await sql(`insert into visits values ($1, 3)`, [indexOf([one], 'forgotten')])
  const wires = ['ten_1', 'ten_2'].map((tenant_id) => ({
    event: { tenant_id, recipient_index: indexOf([one], '+15551230001', tenant_id), rank: 1.5 },
  }))
  await sql(`insert into outbox (subject, events) values ('a.b', $1)`, [JSON.stringify(wires)])
  await sql(
    `insert into dead_letters (durable, event_id, subject, event, whole_message, reason, state)
     values ('d', '1', 'a.b', $1, false, 'x', 'dead'), ('d', '2', 'a.b', 'no JSON "recipient_index"', true, 'x', 'dead')`,
    [JSON.stringify(wires[1]!.event)],
  )

  await reindex([one, two])
  const [first, second] = ['ten_1', 'ten_2'].map((tenant) => indexOf([one, two], '+15551230001', tenant))
  const people = await sql('select * from people where filters is not null order by tenant_id')
  expect(people.map(({ id, recipient_index, filters }) => [id, recipient_index, filters])).toEqual(
    [first, second].map((index) => [`list_1.${index}`, index, { recipient_index: index, status: 'sent' }]),
  )
  for (const { tenant_id, id, sealed } of people)
    expect(keyRing.decrypt(sealed, aad(tenant_id, id))).toBe('+15551230001')
  expect(await sql(`select recipient_index from people where id = 'list_1.erased'`)).toEqual([
    { recipient_index: 'erased list_1' },
  ])
  expect(await sql('select * from visits order by number')).toEqual(
    [1, 2].map((number) => ({ recipient_index: first, number })),
  )
  const [{ events }] = await sql('select events from outbox')
  expect(JSON.parse(events)).toEqual(
    wires.map(({ event }, at) => ({ event: { ...event, recipient_index: [first, second][at] } })),
  )
  expect((await sql('select event from dead_letters order by event_id')).map(({ event }) => event)).toEqual([
    JSON.stringify({ ...wires[1]!.event, recipient_index: second }),
    'no JSON "recipient_index"',
  ])
  expect(await recordedKeys()).toEqual({ keys: keysFingerprint([one, two]), becoming: null, reached: {} })
})

test('a run that was interrupted anywhere is finished by the next one, and no key is applied twice', async () => {
  const people = 40_000
  const { db: filling, kit: filler } = await startProcess(env)
  await filling.runLong(
    `insert into visits select left(translate(encode(sha256(n::text::bytea), 'base64'), '+/', '-_'), 21) || 'A', n
     from generate_series(1, $1) as n`,
    [people],
  )
  await filling.runLong(`insert into people select 'p' || number, 'ten_1', recipient_index from visits`)
  await filler.stop()
  const before = await sql('select number, recipient_index from visits order by number')
  const keys: IndexKeys = [one, two]
  const renewal = { keys, renew: createIndexRenewal(keys), keyRing }
  let runs = 0
  for (let ended = false; !ended; ) {
    const { db, kit } = await startProcess(env)
    if (runs === 0) await db.transaction((run) => beginRenewal(run, keys))
    let transactions = 0
    const cutOff: typeof db.transaction = (work) =>
      db.transaction(async (run) => {
        const result = await work(run)
        // The process dies before the commit of its second step, and after that of its first.
        if (++transactions === 2) throw new Error('cut off')
        return result
      })
    ended = await renewIndexes({ ...db, transaction: cutOff }, tables, renewal, kit.log).then(
      () => true,
      (error: Error) => {
        expect(error.message).toBe('cut off')
        return false
      },
    )
    await kit.stop()
    runs++
    if (runs > 3) break
  }
  await eventually(async () => expect(await reindex(keys)).not.toEqual([]))
  const renew = createIndexRenewal(keys)
  expect(await sql('select number, recipient_index from visits order by number')).toEqual(
    before.map(({ number, recipient_index }) => ({ number, recipient_index: renew('ten_1', recipient_index) })),
  )
  expect(runs).toBeGreaterThan(3)
})

test('a row that is locked for longer than the lock timeout is waited for', async () => {
  await addPerson('+15551230001')
  const client = await env.sql('consent').connect()
  await client.query('begin; set local idle_in_transaction_session_timeout = 0')
  await client.query('select from people for update')
  const running = reindex([one, two])
  const { pid } = (await client.query('select pg_backend_pid() as pid')).rows[0]
  const waiting = async () =>
    (await env.admin.query('select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [pid])).rowCount
  await eventually(async () => expect(await waiting()).toBe(1))
  // Its first transaction gives up.
  await eventually(async () => expect(await waiting()).toBe(0), { intervalMs: 20 })
  await client.query('commit')
  client.release()
  await running
  expect(await sql('select recipient_index from people')).toEqual([
    { recipient_index: indexOf([one, two], '+15551230001') },
  ])
})

test('only a list that continues the recorded one is accepted, and a second run changes nothing', async () => {
  await addPerson('+15551230001')
  const shown = () => sql('select id, recipient_index from people')
  const before = await shown()
  for (const keys of [[two], [two, one], [two, three]] as const)
    await expect(reindex(keys)).rejects.toThrow('BLIND_INDEX_KEY must be the list with which the indexes were made')
  expect((await reindex([one])).map(({ msg }) => msg)).toContain(
    'every blind index is under all keys of BLIND_INDEX_KEY',
  )
  expect(await shown()).toEqual(before)
  await sql('update blind_index_keys set becoming = $1', [keysFingerprint([one, three])])
  await expect(reindex([one, two])).rejects.toThrow('another list of keys was begun')
  await sql('update blind_index_keys set becoming = null')
  await reindex([one, two])
  const after = await shown()
  expect(after).not.toEqual(before)
  expect((await reindex([one, two])).map(({ msg }) => msg)).toContain(
    'every blind index is under all keys of BLIND_INDEX_KEY',
  )
  expect(await shown()).toEqual(after)
  await sql('delete from blind_index_keys')
  await expect(reindex([one, two])).rejects.toThrow('no server has recorded the keys yet')
})

test('a run waits until the sessions of the servers have ended', async () => {
  await addPerson('+15551230001')
  const server = await startProcess(env)
  await server.db.run('select 1')
  const kit = createTestKit('consent')
  const running = reindexCommand(tables)(configOf([one, two]), kit, [])
  await eventually(() =>
    expect(kit.lines.map(({ msg }) => msg)).toContain('waiting for the sessions of the servers to end'),
  )
  expect(await recordedKeys()).toMatchObject({ keys: keysFingerprint([one]), becoming: null })
  await server.kit.stop()
  await running
  await kit.stop()
  expect(await recordedKeys()).toMatchObject({ keys: keysFingerprint([one, two]) })
})

test('a server with other keys than the schema opens nothing and goes on after reindex; one with the old keys is no longer ready', async () => {
  const older = createTestKit('consent')
  await openDatabase(older, { config: configOf([one]), migrations })
  older.health.setReady(true)
  await eventually(async () => expect(await older.health.failures()).toEqual([]))
  const newer = createTestKit('consent')
  newer.health.setReady(true)
  let opened = false
  const opening = openDatabase(newer, { config: configOf([one, two]), migrations }).then(() => {
    opened = true
  })
  await eventually(async () => expect(await newer.health.failures()).toEqual([refused]))
  const { db, kit } = await startProcess(env)
  await db.transaction((run) => beginRenewal(run, [one, two]))
  await kit.stop()
  const underWay = 'blind indexes are being renewed: run main.mjs reindex until it ends'
  for (const { health } of [newer, older])
    await eventually(async () => expect(await health.failures()).toEqual([underWay]))
  expect(opened).toBe(false)
  await sql('update blind_index_keys set keys = becoming, becoming = null')
  await opening
  await eventually(async () => expect(await newer.health.failures()).toEqual([]))
  await eventually(async () => expect(await older.health.failures()).toEqual([refused]))
  for (const each of [older, newer]) await each.stop()
})

test('the first server of a schema records its keys, and another list is refused from then on', async () => {
  await sql('delete from blind_index_keys')
  const first = createTestKit('consent')
  await openDatabase(first, { config: configOf([two, three]), migrations })
  expect(await recordedKeys()).toMatchObject({ keys: keysFingerprint([two, three]), becoming: null })
  const other = createTestKit('consent')
  other.health.setReady(true)
  const opening = openDatabase(other, { config: { ...configOf([two]), MIGRATE_ON_START: true }, migrations })
  const ended = expect(opening).rejects.toThrow('stopped while waiting for a command')
  await eventually(async () => expect(await other.health.failures()).toEqual([refused]))
  await other.stop()
  await ended
  await first.stop()
})

test('a server that is stopped during its migrations ends for that reason', async () => {
  const kit = createTestKit('consent')
  const slow = [...migrations, { name: '9999-slow', transaction: ['select pg_advisory_xact_lock(9999)'] }]
  const holder = await env.admin.connect()
  await holder.query('select pg_advisory_lock(9999)')
  const opening = openDatabase(kit, { config: { ...configOf([two]), MIGRATE_ON_START: true }, migrations: slow })
  const ended = expect(opening).rejects.toThrow('stopped while waiting for a command')
  const waiting = `select 1 from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`
  await eventually(async () => expect((await env.admin.query(waiting)).rows).toHaveLength(1))
  const stopped = kit.stop()
  await holder.query('select pg_advisory_unlock(9999)')
  holder.release()
  await stopped
  await ended
})
