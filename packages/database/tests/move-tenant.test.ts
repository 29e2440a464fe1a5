import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import { type KeyRing, keysFingerprint, parseKeyRing } from '@notify/privacy'
import { type OpenSchema, useOwnSchema } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import {
  blindIndexTables,
  erasedEntry,
  exportTenantCommand,
  importTenantCommand,
  type Migrations,
  type TenantTables,
} from '../src/index.ts'

const tenant = 'ten_01jd3x8qk5w9t2m4v6b8n0p2r4'
const parcel = `create table parcels (id text primary key, tenant_id text not null, weight numeric, secret bytea, colour text,
  heavy boolean generated always as (weight > 100) stored, here boolean not null default true)`
const visit = `create table visits (id bigint generated always as identity primary key, tenant_id text not null, note text,
  recipient_index text, number int, unique (tenant_id, recipient_index, number))`
const visitsListed = 'create index visits_listed on visits (tenant_id, id desc)'
const shop =
  'create table shops (id text primary key, tenant_id text not null, name text not null, unique (tenant_id, name))'
const migrations: Migrations = [
  ...blindIndexTables,
  { name: '0001-parcels', transaction: [parcel, visit, visitsListed, shop] },
]
const tables: TenantTables = {
  moved: [
    { table: 'parcels', own: ['here'] },
    { table: 'visits', appendOnly: true, erased: erasedEntry },
    { table: 'shops', key: ['tenant_id', 'name'] },
  ],
  stays: {},
}
const aad = (tenantId: string, id: string) => `parcels|${tenantId}|${id}`
const encrypted = [{ table: 'parcels', column: 'secret', key: 'id', aadFrom: ['tenant_id', 'id'], aad }]
const moving = { tables, encrypted }

let from: OpenSchema
let to: OpenSchema
let urls: string[]
useOwnSchema('dispatch', { migrations }, (own) => {
  from = own
  urls = [own.env.stack.databaseUrl('dispatch')]
})
useOwnSchema('dispatch', { migrations }, (own) => {
  to = own
  urls = [...urls, own.env.stack.databaseUrl('dispatch')]
})

const key = () => randomBytes(32).toString('base64')
const rings: KeyRing[] = ['old', 'new'].map((id) => parseKeyRing(`${id}:${key()}`))
const shared = { TRANSPORT_KEY: key(), BLIND_INDEX_KEY: [randomBytes(32)] as const, FINGERPRINT_KEY: randomBytes(32) }
const configOf = (at: number) => ({ ...shared, DATABASE_URL: urls[at]!, ENCRYPTION_KEYS: rings[at] })

async function exported(...args: string[]): Promise<string[]> {
  return exportedBy(exportTenantCommand(moving), ...args)
}

async function exportedBy(run: ReturnType<typeof exportTenantCommand>, ...args: string[]): Promise<string[]> {
  const lines: string[] = []
  await run(configOf(0), createTestKit('dispatch'), ['--tenant', tenant, ...args], {
    print: (line) => void lines.push(line),
    tell: () => {},
  })
  return lines
}

async function imported(
  lines: Iterable<string> | AsyncIterable<string>,
  own: object = {},
  args: string[] = [],
  here = moving,
) {
  async function* feed() {
    yield* lines
  }
  let told = ''
  const print = (line: string) => {
    told += line
  }
  const run = importTenantCommand(here)
  await run({ ...configOf(1), ...own }, createTestKit('dispatch'), ['--tenant', tenant, ...args], {
    lines: feed(),
    print,
  })
  return JSON.parse(told).counts
}

beforeEach(async () => {
  for (const { db } of [from, to]) await db.run('truncate parcels, visits, shops restart identity')
  await from.db.run(
    'insert into parcels (id, tenant_id, weight, secret, here) values ($1, $2, $3, $4, false), ($5, $6, 1, null, true)',
    [
      ...['p1', tenant, '12345678901234567890.5', rings[0]!.encrypt('a red secret', aad(tenant, 'p1'))],
      ...['p9', 'ten_other'],
    ],
  )
  await from.db.run(`insert into visits (tenant_id, note) values ($1, 'first')`, [tenant])
})

const parcels = () =>
  to.db.run<{ id: string; secret: Buffer | null; weight: string; here: boolean; heavy: boolean }>(
    'select * from parcels order by id',
  )

test('the rows of the tenant arrive exactly, with their secrets under the key of the new cell, and no others', async () => {
  const lines = await exported()
  for (const line of lines)
    expect(Buffer.from(line, 'base64').toString('latin1')).not.toMatch(/red secret|ten_0|parcels/)
  expect(await imported(lines)).toEqual({
    parcels: { rows: 1, written: 1, removed: 0 },
    visits: { rows: 1, written: 1, removed: 0 },
    shops: { rows: 0, written: 0, removed: 0 },
  })
  const [row, ...others] = await parcels()
  expect(others).toEqual([])
  expect(row).toMatchObject({ id: 'p1', weight: '12345678901234567890.5', here: true, heavy: true })
  expect(rings[1]!.decrypt(row!.secret!, aad(tenant, 'p1'))).toBe('a red secret')
})

test('a newer export changes, adds and removes rows, and leaves to the cell what is its own', async () => {
  await imported(await exported())
  await to.db.run(`update parcels set here = false; insert into parcels (id, tenant_id) values ('p8', 'ten_other')`)
  await from.db.run(`update parcels set id = 'p2', secret = null where id = 'p1'`)
  await from.db.run(
    `update visits set note = 'changed'; insert into visits (tenant_id, note) values ('${tenant}', 'second')`,
  )
  expect(await imported(await exported())).toEqual({
    parcels: { rows: 1, written: 1, removed: 1 },
    visits: { rows: 2, written: 1, removed: 0 },
    shops: { rows: 0, written: 0, removed: 0 },
  })
  expect((await parcels()).map(({ id }) => id)).toEqual(['p2', 'p8'])
  expect(await to.db.run('select note from visits order by id')).toEqual([{ note: 'first' }, { note: 'second' }])
  // Nothing differs any more.
  expect((await imported(await exported())).parcels).toEqual({ rows: 1, written: 0, removed: 0 })
})

test('a row that was recreated under another id replaces the one that was copied before', async () => {
  for (const id of ['s1', 's2']) {
    await from.db.run('delete from shops')
    await from.db.run('insert into shops values ($1, $2, $3)', [id, tenant, 'Corner shop'])
    await imported(await exported())
    expect(await to.db.run('select id from shops')).toEqual([{ id }])
  }
})

test('a person who was erased between two copies is erased in the new cell', async () => {
  await from.db.run(`update visits set recipient_index = 'ada'`)
  await imported(await exported())
  await from.db.run(`update visits set note = null, recipient_index = 'erased ' || id`)
  await imported(await exported())
  expect(await to.db.run('select note, recipient_index from visits')).toEqual([
    { note: null, recipient_index: 'erased 1' },
  ])
})

test('a person who comes back after an erasure is copied, although the newest rows are read first', async () => {
  await from.db.run(`update visits set recipient_index = 'ada', number = 1`)
  await from.db.run(`insert into visits (tenant_id) select 'ten_' || n from generate_series(1, 5000) n`)
  await imported(await exported())
  await from.db.run(`update visits set note = null, recipient_index = 'erased ' || id where recipient_index = 'ada'`)
  await from.db.run(
    `insert into visits (tenant_id, note, recipient_index, number) values ($1, 'again', 'ada', 1), ($1, 'nobody', null, 1)`,
    [tenant],
  )
  await from.db.run('analyze visits')
  expect((await imported(await exported())).visits).toEqual({ rows: 3, written: 3, removed: 0 })
  expect(await to.db.run('select note, recipient_index from visits order by id')).toEqual([
    { note: null, recipient_index: 'erased 1' },
    { note: 'again', recipient_index: 'ada' },
    { note: 'nobody', recipient_index: null },
  ])
})

test('a row that is written in the new cell during an import stays', async () => {
  const lines = await exported()
  await to.db.run(`insert into shops values ('s1', $1, 'known'), ('s2', $1, 'gone')`, [tenant])
  async function* meanwhile() {
    // The first line has been handled when the second is asked for.
    yield lines[0]!
    await to.db.run(`insert into parcels (id, tenant_id) values ('late', $1)`, [tenant])
    await to.db.run(`insert into shops values ('s3', $1, 'late')`, [tenant])
    await to.db.run(`update shops set id = 's4' where id = 's1'`)
    yield* lines.slice(1)
  }
  expect(await imported(meanwhile())).toMatchObject({ parcels: { removed: 0 }, shops: { removed: 1 } })
  expect((await parcels()).map(({ id }) => id)).toEqual(['late', 'p1'])
  expect(await to.db.run('select id from shops order by id')).toEqual([{ id: 's3' }, { id: 's4' }])
})

test('a row that is written while an export counts what stays is exported', async () => {
  const run = exportTenantCommand({
    ...moving,
    async countStaying(client) {
      await client.query('select from parcels')
      await from.db.run(`insert into parcels (id, tenant_id) values ('late', $1)`, [tenant])
      return {}
    },
  })
  await imported(await exportedBy(run))
  expect((await parcels()).map(({ id }) => id)).toEqual(['late', 'p1'])
})

test('a row of the new cell stays as it is where its table calls it newer', async () => {
  const isNewer = (known: string, incoming: string) => `(${known}.weight > ${incoming}.weight)`
  const here = { ...moving, tables: { ...tables, moved: [{ table: 'parcels', isNewer }] } }
  const lines = await exportedBy(exportTenantCommand(here))
  await imported(lines, {}, [], here)
  await to.db.run(`update parcels set weight = weight + 1, colour = 'red'`)
  expect(await imported(lines, {}, [], here)).toEqual({ parcels: { rows: 1, written: 0, removed: 0 } })
  await to.db.run('update parcels set weight = 0')
  expect(await imported(lines, {}, [], here)).toEqual({ parcels: { rows: 1, written: 1, removed: 0 } })
})

test('a row that the export lacks is ended where its table says how, and revived by an export that contains it', async () => {
  const here = { ...moving, tables: { ...tables, moved: [{ table: 'parcels', ended: `colour = 'ended'` }] } }
  const lines = await exportedBy(exportTenantCommand(here))
  await imported(lines, {}, [], here)
  await from.db.run(`update parcels set id = 'p2', secret = null where id = 'p1'`)
  const newer = await exportedBy(exportTenantCommand(here))
  expect(await imported(newer, {}, [], here)).toEqual({ parcels: { rows: 1, written: 1, removed: 1 } })
  const colours = () => to.db.run('select id, colour from parcels order by id')
  expect(await colours()).toEqual([
    { id: 'p1', colour: 'ended' },
    { id: 'p2', colour: null },
  ])
  await imported(lines, {}, [], here)
  expect(await colours()).toEqual([
    { id: 'p1', colour: null },
    { id: 'p2', colour: 'ended' },
  ])
})

test('a rehearsal counts on both sides and changes nothing', async () => {
  const [counted, ...more] = await exported('--dry-run')
  expect([JSON.parse(counted!).counts, more]).toEqual([{ parcels: 1, visits: 1, shops: 0 }, []])
  expect((await imported(await exported(), {}, ['--dry-run'])).parcels.written).toBe(1)
  expect(await parcels()).toEqual([])
})

test.each<[string, (lines: string[]) => string[]]>([
  ['has lost its end', (lines) => lines.slice(0, -1)],
  ['has lost a line', (lines) => lines.toSpliced(1, 1)],
  ['has a line twice', (lines) => lines.toSpliced(1, 0, lines[1]!)],
  ['was changed', (lines) => lines.with(2, `${lines[2]!.slice(0, -8)}AAAAAAA=`)],
  ['is empty', () => []],
])('an export that %s is refused as a whole', async (_what, spoil) => {
  await expect(imported(spoil(await exported()))).rejects.toThrow(/is not part of an export|not whole/)
  expect(await parcels()).toEqual([])
})

test.each([
  ['another transport key', { TRANSPORT_KEY: key() }, 'is not part of an export'],
  [
    'another key of look-ups',
    { BLIND_INDEX_KEY: [randomBytes(32)] as const },
    'BLIND_INDEX_KEY of the two cells must be the same',
  ],
  ['another key of fingerprints', { FINGERPRINT_KEY: randomBytes(32) }, 'FINGERPRINT_KEY of the two cells must be'],
  ['no transport key', { TRANSPORT_KEY: undefined }, 'TRANSPORT_KEY is not set'],
])('with %s nothing is imported', async (_what, own, refusal) => {
  await expect(imported(await exported(), own)).rejects.toThrow(refusal)
  expect(await parcels()).toEqual([])
})

test('with a list of keys that is not that of the schema nothing is exported or imported', async () => {
  const lines = await exported()
  for (const { db } of [from, to])
    await db.run('insert into blind_index_keys (keys) values ($1)', [keysFingerprint([randomBytes(32)])])
  const differs = 'BLIND_INDEX_KEY differs from the one in the database'
  await expect(exported()).rejects.toThrow(differs)
  await expect(imported(lines)).rejects.toThrow(differs)
  for (const { db } of [from, to])
    await db.run('update blind_index_keys set keys = $1', [keysFingerprint(shared.BLIND_INDEX_KEY)])
  await imported(await exported())
  expect(await parcels()).not.toEqual([])
})

test('an older release refuses a column that it does not know, and a newer one fills its own', async () => {
  await from.db.run(`alter table parcels add column shape text default 'box'`)
  await expect(imported(await exported())).rejects.toThrow('this release has no column parcels.shape')
  await from.db.run('alter table parcels drop column shape')
  await to.db.run(`alter table parcels add column shape text default 'box'`)
  await imported(await exported())
  expect(await to.db.run('select shape from parcels')).toEqual([{ shape: 'box' }])
  await to.db.run('alter table parcels drop column shape')
})

test.each([[[]], [['--tenant', 'app_1']], [['--tenant', tenant, '--to', 'b', '--nonsense']]])(
  '%j is refused with the usage',
  async (args) => {
    const refused = exportTenantCommand(moving)(configOf(0), createTestKit('dispatch'), args)
    await expect(refused).rejects.toThrow('use: export-tenant')
    const run = importTenantCommand(moving)(configOf(1), createTestKit('dispatch'), args)
    await expect(run).rejects.toThrow('use: import-tenant')
  },
)
