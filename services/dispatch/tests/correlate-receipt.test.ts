import { beforeAll, expect, test } from '@jest/globals'
import { newId, type Receipt } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { createCorrelator } from '../src/outcome/receipts/correlate-receipt.ts'
import { addProviders } from './own-notifications.ts'
import { db } from './own-schema.ts'

const [own, second] = [newId('prov'), newId('prov')]
beforeAll(() => addProviders(db, newId('ten'), own, second))

/** An attempt that an account has taken under this id. */
async function attempt(provider_id: string, message: string | null) {
  const ids = { notification_id: newId('notif'), attempt_id: newId('att') }
  await db.run(
    `insert into attempts (notification_id, number, id, lease_until, provider_id, provider_message_id)
     values ($1, 1, $2, now(), $3, $4)`,
    [ids.notification_id, ids.attempt_id, provider_id, message],
  )
  return ids
}

const receipt = (provider_id: `prov_${string}`, message: string, fields: Partial<Receipt> = {}): Receipt => ({
  channel: 'sms',
  provider_id,
  provider_message_id: message,
  status: 'delivered',
  error_code: null,
  received_at: new Date().toISOString(),
  ...fields,
})
const old = { received_at: new Date(0).toISOString() }

test('the first receipt of a message finds it by the id of the carrier, within its account', async () => {
  const correlate = createCorrelator({ db })
  const [first, second_] = [await attempt(own, 'message'), await attempt(second, 'message')]
  const found = await Promise.all([correlate(receipt(own, 'message')), correlate(receipt(second, 'message'))])
  expect(found).toMatchObject([first, second_])
  const foreign = await correlate(receipt(newId('prov'), 'message', old))
  expect(foreign).not.toHaveProperty('notification_id')
})

test('a receipt that overtakes the answer of its carrier finds the message once that is recorded', async () => {
  const ids = await attempt(own, null)
  const found = createCorrelator({ db })(receipt(own, 'overtaken'))
  await eventually(async () => {
    const sql = `update attempts set provider_message_id = 'overtaken' where id = $1 returning id`
    expect(await db.run(sql, [ids.attempt_id])).toHaveLength(1)
  })
  expect(await found).toMatchObject(ids)
})

test('ids that came with the receipt stay, and cost no look', async () => {
  const ids = { notification_id: newId('notif'), attempt_id: newId('att') }
  const run = () => Promise.reject(new Error('nothing is looked up'))
  const correlated = await createCorrelator({ db: { ...db, run } as never })(receipt(own, 'message', ids))
  expect(correlated).toMatchObject(ids)
})

test('of many strange receipts of an account only some wait for a message that may still be recorded', async () => {
  const correlate = createCorrelator({ db })
  let ended = 0
  const strange = (provider: `prov_${string}`, count: number) =>
    Array.from({ length: count }, async (_, at) => {
      await correlate(receipt(provider, `strange ${at}`))
      ended++
    })
  const all = Promise.all([...strange(own, 100), ...strange(second, 50)])
  await eventually(() => expect(ended).toBe(36), { intervalMs: 50 })
  await all
  expect(ended).toBe(150)
})
