import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { migrate } from '@notify/database'
import { TestEnv } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'

const tenantId = newId('ten')

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env?.stop())

const migrateTo = (name?: string) =>
  migrate(createTestKit('dispatch'), {
    config: { DATABASE_URL: env.stack.databaseUrl('dispatch') },
    schema: 'dispatch',
    migrations: name
      ? migrations.slice(
          0,
          migrations.findIndex((one) => one.name === name),
        )
      : migrations,
  })

/** Notifications with these columns, as SQL. */
async function store(count: number, columns: Record<string, string>): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('notif'))
  await env.sql('dispatch').query(
    `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits,
       payload, ${Object.keys(columns).join(', ')})
     select id, $2, 'app_1', 'sms', 'bulk', 'live', '+1***', 'index', 1, '', ${Object.values(columns).join(', ')}
     from unnest($1::text[]) as id`,
    [ids, tenantId],
  )
  return ids
}

/** What the table should hold, made from the notifications themselves. */
const expected = `select id, lane, channel, status, settled, enqueued_at, next_attempt_at, expires_at, created_at from notifications
  where not settled or (expires_at is not null and payload is not null) order by id`
const held =
  'select id, lane, channel, status, settled, enqueued_at, next_attempt_at, expires_at, created_at from in_flight order by id'

async function expectSame(count: number): Promise<void> {
  const [{ rows: wanted }, { rows: found }] = await Promise.all([
    env.sql('dispatch').query(expected),
    env.sql('dispatch').query(held),
  ])
  expect(wanted).toHaveLength(count)
  expect(found).toEqual(wanted)
}

test('what was in flight before the upgrade is there after it, also what changes meanwhile, and what follows', async () => {
  await migrateTo('0013-in-flight')
  const queued = await store(1500, { status: `'queued'` })
  await store(3, { status: `'sent'` })
  await store(2, { status: `'scheduled'`, next_attempt_at: `now() + interval '1 day'` })
  await store(2, { status: `'delivered'`, expires_at: `now() + interval '1 day'` })
  await store(5, { status: `'delivered'` })
  await migrateTo('0014-fill-in-flight')
  // Between the triggers and the rows of before: replicas of the previous release go on.
  const change = (status: string, ids: string[]) =>
    env.sql('dispatch').query('update notifications set status = $1 where id = any($2)', [status, ids])
  await change('sent', queued.slice(0, 10))
  await change('delivered', queued.slice(10, 20))
  const filling = migrateTo()
  await Promise.all([change('failed', queued.slice(20, 30)), change('sent', queued.slice(30, 40))])
  await filling
  await expectSame(1500 + 3 + 2 + 2 - 20)
  await change('queued', queued.slice(25, 30))
  await env
    .sql('dispatch')
    .query(`update notifications set next_attempt_at = now() where id = any($1)`, [queued.slice(40, 50)])
  await env.sql('dispatch').query('update notifications set payload = null where expires_at is not null')
  await store(1, { status: `'queued'` })
  await expectSame(1500 + 3 + 2 - 20 + 5 + 1)
})
