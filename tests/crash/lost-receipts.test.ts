import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { attemptsAgreeIn } from '@notify/test-kit/database'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    env: { all: { LOG_LEVEL: 'warn' }, 'dispatch-worker': { RECEIPT_INQUIRIES: '1s' } },
  })
})
afterAll(() => env?.stop())
afterEach(() => attemptsAgreeIn(env))

const delivered = (count: number) => [{ status: 'delivered', count }]
const statuses = async () =>
  (await env.sql('dispatch').query('select status, count(*)::int as count from notifications group by 1')).rows

/** Sends messages and awaits their receipts. */
async function deliver(count: number): Promise<string[]> {
  await env.sql('dispatch').query('delete from notifications')
  const requests = Array.from({ length: count }, () => ({ channel: 'sms', recipient: '+15550000011', body: 'message' }))
  const { body } = await postUntilTaken(env, '/api/v1/notifications/batch', { requests })
  await eventually(async () => expect(await statuses()).toEqual(delivered(count)))
  return body.results.map((result: { notification_id: string }) => result.notification_id).toSorted()
}

test('receipts that are lost permanently on the bus are requested from callbacks, whether the outcome was known or not', async () => {
  const ids = await deliver(20)
  // Simulates receipts that never arrived.
  const database = env.sql('dispatch')
  await database.query(`update notifications set status = 'sent' where id = any($1)`, [ids.slice(0, 10)])
  await database.query(`update notifications set status = 'failed' where id = any($1)`, [ids.slice(10)])
  await database.query(
    `update attempts set outcome = 'unknown', provider_message_id = null where notification_id = any($1)`,
    [ids.slice(10)],
  )
  const walkAgain = () => database.query(`update walks set reached = ''`)
  await eventually(
    async () => {
      await walkAgain()
      expect(await statuses()).toEqual(delivered(20))
    },
    { intervalMs: 500 },
  )
})

test('a lost receipt is requested for any attempt, even long after acceptance', async () => {
  const ids = await deliver(6)
  const database = env.sql('dispatch')
  // The walk by the time of acceptance has passed them.
  await database.query(
    `update walks set reached = 'notif_z', next_at = now() + interval '1 hour' where name like 'receipts-%'`,
  )
  await database.query(
    `insert into attempts (notification_id, number, id, lease_until, finished_at, outcome)
     select id, 2, 'att_' || id, now(), now(), 'accepted' from unnest($1::text[]) as id`,
    [ids.slice(0, 3)],
  )
  await database.query(
    `update notifications set status = 'sent', updated_at = now(), attempt_count = case when id = any($1) then 2 else 1 end`,
    [ids.slice(0, 3)],
  )
  await eventually(async () => expect(await statuses()).toEqual(delivered(6)))
})

test('before a message is given up with an unknown outcome, its receipt is asked for', async () => {
  const ids = await deliver(3)
  const database = env.sql('dispatch')
  const revisions = async () => (await database.query('select revision from notifications order by id')).rows
  const before = await revisions()
  await database.query(`update walks set next_at = now() + interval '1 hour'`)
  await database.query(
    `update attempts set outcome = 'unknown', provider_message_id = null where notification_id = any($1)`,
    [ids],
  )
  await database.query(`update notifications set status = 'queued', when_due = 'give_up', next_attempt_at = now()`)
  await eventually(async () => expect(await statuses()).toEqual(delivered(3)))
  // Each has changed since: none simply remained delivered.
  for (const [at, { revision }] of (await revisions()).entries()) expect(revision).toBeGreaterThan(before[at].revision)
})
