import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { db } from './own-schema.ts'

const tenantId = newId('ten')

/** Notifications with these columns, as SQL. */
async function store(count: number, columns: Record<string, string>): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('notif'))
  await db.run(
    `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits,
       payload, ${Object.keys(columns).join(', ')})
     select id, $2, 'app_1', 'sms', 'bulk', 'live', '+1***', 'index', 1, '', ${Object.values(columns).join(', ')}
     from unnest($1::text[]) as id`,
    [ids, tenantId],
  )
  return ids
}

const columns = `id, lane, channel, status, settled, enqueued_at, next_attempt_at, expires_at, created_at, tenant_id, application_id,
  mode`
const expiry = 'case when payload is not null then expires_at end as expires_at'
/** What the table should hold, read from the notifications themselves. */
const expected = `select ${columns.replace('expires_at', expiry)} from notifications
  where not settled or (expires_at is not null and payload is not null) order by id`
const held = `select ${columns} from in_flight order by id`

async function expectSame(count: number): Promise<void> {
  const [wanted, found] = await Promise.all([db.run(expected), db.run(held)])
  expect(wanted).toHaveLength(count)
  expect(found).toEqual(wanted)
}

test('the table follows every statement that inserts or changes notifications', async () => {
  const queued = await store(1500, { status: `'queued'` })
  await store(3, { status: `'sent'` })
  await store(2, { status: `'scheduled'`, next_attempt_at: `now() + interval '1 day'` })
  await store(2, { status: `'delivered'`, expires_at: `now() + interval '1 day'` })
  await store(5, { status: `'delivered'` })
  await expectSame(1500 + 3 + 2 + 2)
  const change = (status: string, ids: string[]) =>
    db.run('update notifications set status = $1 where id = any($2)', [status, ids])
  await Promise.all([
    change('sent', queued.slice(0, 10)),
    change('delivered', queued.slice(10, 20)),
    change('failed', queued.slice(20, 30)),
    change('sent', queued.slice(30, 40)),
  ])
  await expectSame(1500 + 3 + 2 + 2 - 20)
  await change('queued', queued.slice(25, 30))
  await db.run(`update notifications set next_attempt_at = now() where id = any($1)`, [queued.slice(40, 50)])
  await db.run('update notifications set payload = null where expires_at is not null')
  await store(1, { status: `'queued'` })
  await expectSame(1500 + 3 + 2 - 20 + 5 + 1)
})
