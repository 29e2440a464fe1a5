import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { type Migrations, migrate } from '@notify/database'
import { TestEnv } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { migrationsOf } from '../../scripts/service-declarations.ts'
import { judgeMigrations } from './judge-migrations.ts'

/** What a second release of dispatch may bring: a column, an index, and a table that triggers keep and batches fill. */
const second: Migrations = [
  { name: '0002-weight', transaction: ['alter table notifications add column weight int not null default 1'] },
  { name: '0003-by-weight', index: { name: 'notifications_by_weight', on: 'on notifications (tenant_id, weight)' } },
  {
    name: '0004-states',
    transaction: [
      'create table states (id text primary key, status text not null)',
      `create function keep_state() returns trigger language plpgsql set search_path from current as $$
         begin
           insert into states select id, status from after on conflict (id) do update set status = excluded.status;
           return null;
         end $$`,
      `create trigger keep_inserted after insert on notifications
         referencing new table as after for each statement execute function keep_state()`,
      `create trigger keep_updated after update on notifications
         referencing new table as after for each statement execute function keep_state()`,
    ],
  },
  {
    name: '0005-fill-states',
    // Locked, so that no row is added as it was before a change that its trigger has followed already.
    batches: `with page as (select * from notifications where id > coalesce($1, '') order by id limit 100 for update),
      added as (insert into states select id, status from page on conflict (id) do nothing)
      select max(id) as last from page`,
  },
]

let env: TestEnv
let first: Migrations
beforeAll(async () => {
  env = await TestEnv.start([])
  first = await migrationsOf('dispatch')
})
afterAll(() => env?.stop())

const query = async (text: string, values: unknown[] = []) => (await env.sql('dispatch').query(text, values)).rows

async function run(migrations: Migrations) {
  const kit = createTestKit('dispatch')
  await migrate(kit, { config: { DATABASE_URL: env.stack.databaseUrl('dispatch') }, schema: 'dispatch', migrations })
  return kit.lines
}

/** As the first release inserts them. */
async function insert(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('notif'))
  await query(
    `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits)
     select id, 'ten_1', 'app_1', 'sms', 'bulk', 'live', '+1***', 'index', 1 from unnest($1::text[]) as id`,
    [ids],
  )
  return ids
}

/** Inserts and changes rows until the work has ended. @returns how often */
async function writeDuring(work: Promise<unknown>, known: readonly string[]): Promise<number> {
  let ended = false
  const end = () => {
    ended = true
  }
  work.then(end, end)
  for (let round = 0; ; round++) {
    const [added] = await insert(1)
    const changed = known[(round * 37) % known.length]
    await query(`update notifications set status = 'sent' where id = any($1)`, [[added, changed].toSorted()])
    if (ended) return round
  }
}

test('a second release migrates full tables while the first one writes, and the first one goes on with the new schema', async () => {
  const both = [...first, ...second]
  expect(await judgeMigrations(both)).toEqual([])
  await run(first)
  const known = await insert(5000)
  const files = () =>
    query(`select pg_relation_filenode('notifications') as heap, pg_relation_filenode('attempts') as other`)
  const before = await files()

  const migrating = run(both)
  expect(await writeDuring(migrating, known)).toBeGreaterThan(5)
  await migrating

  expect(await files()).toEqual(before)
  const [{ count }] = (await query('select count(*)::int as count from notifications')) as [{ count: number }]
  expect(count).toBeGreaterThan(5005)
  const agreeing = await query('select from notifications join states using (id, status) where weight = 1')
  expect(agreeing).toHaveLength(count)

  expect(await run(first)).toEqual([
    expect.objectContaining({
      level: 40,
      msg: expect.stringMatching(/^schema is newer than this release: 0002-weight/),
    }),
  ])
  await insert(1)
  expect(await query('select from states')).toHaveLength(count + 1)
})
