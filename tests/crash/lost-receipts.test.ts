import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '../../packages/dev-env/src/index.ts'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    env: { all: { LOG_LEVEL: 'warn' }, 'dispatch-worker': { RECEIPT_INQUIRIES: '1s' } },
  })
})
afterAll(() => env?.stop())

const statuses = async () =>
  (await env.sql('dispatch').query('select status, count(*)::int as count from notifications group by 1')).rows

test('receipts that are lost for good on the bus are asked of callbacks, whether the outcome was known or not', async () => {
  const requests = Array.from({ length: 20 }, () => ({ channel: 'sms', recipient: '+15550000011', body: 'message' }))
  const { body } = await env.api('POST', '/api/v1/notifications/batch', { body: { requests } })
  const ids = body.results.map((result: { notification_id: string }) => result.notification_id).toSorted()
  await eventually(async () => expect(await statuses()).toEqual([{ status: 'delivered', count: 20 }]))
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
      expect(await statuses()).toEqual([{ status: 'delivered', count: 20 }])
    },
    { timeoutMs: 20_000, intervalMs: 500 },
  )
})
