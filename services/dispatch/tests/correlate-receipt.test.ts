import { beforeAll, expect, test } from '@jest/globals'
import { newId, type Receipt } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { createCorrelator, receiptLookups, suppressionLookups } from '../src/outcome/receipts/correlate-receipt.ts'
import { addProviders } from './own-notifications.ts'
import { db } from './own-schema.ts'

const [own, second] = [newId('prov'), newId('prov')]
const [busy, neighbour] = [newId('ten'), newId('ten')]
const accounts = Array.from({ length: 16 }, () => newId('prov'))
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
  const correlate = createCorrelator({ db }, receiptLookups)
  const [first, second_] = [await attempt(own, 'message'), await attempt(second, 'message')]
  const found = await Promise.all([correlate(receipt(own, 'message')), correlate(receipt(second, 'message'))])
  expect(found).toMatchObject([first, second_])
  const foreign = await correlate(receipt(newId('prov'), 'message', old))
  expect(foreign).not.toHaveProperty('notification_id')
})

test('a receipt that overtakes the answer of its carrier finds the message once that is recorded', async () => {
  const ids = await attempt(own, null)
  const found = createCorrelator({ db }, receiptLookups)(receipt(own, 'overtaken'))
  await eventually(async () => {
    const sql = `update attempts set provider_message_id = 'overtaken' where id = $1 returning id`
    expect(await db.run(sql, [ids.attempt_id])).toHaveLength(1)
  })
  expect(await found).toMatchObject(ids)
})

test('ids that came with the receipt stay, and cost no look', async () => {
  const ids = { notification_id: newId('notif'), attempt_id: newId('att') }
  const run = () => Promise.reject(new Error('nothing is looked up'))
  const correlated = await createCorrelator(
    { db: { ...db, run } as never },
    receiptLookups,
  )(receipt(own, 'message', ids))
  expect(correlated).toMatchObject(ids)
})

const sizes = [
  { kind: 'receipts', lookups: receiptLookups, slots: 1024 },
  { kind: 'suppressions', lookups: suppressionLookups, slots: 16 },
]

test.each(sizes)(
  'the strange $kind of sixteen accounts of a tenant leave slots to a neighbour, and some of them wait for a message that may still be recorded',
  async ({ lookups, slots }) => {
    const correlate = createCorrelator({ db }, lookups)
    const ids = await attempt(second, null)
    const message = `late in ${slots}`
    let ended = 0
    const strange = Array.from({ length: slots }, async (_, at) => {
      await correlate(receipt(accounts[at % accounts.length]!, `strange ${at}`, { tenant_id: busy }))
      ended++
    })
    await eventually(() => expect(ended).toBe(slots - lookups.waiting.mostOfTenant), { intervalMs: 50 })
    const found = correlate(receipt(second, message, { tenant_id: neighbour }))
    await db.run('update attempts set provider_message_id = $2 where id = $1', [ids.attempt_id, message])
    expect(await found).toMatchObject(ids)
    await Promise.all(strange)
    expect(ended).toBe(slots)
  },
)

test.each(sizes)('however many tenants have strange $kind, half of the slots stay free', async ({ lookups, slots }) => {
  const correlate = createCorrelator({ db }, lookups)
  let ended = 0
  const strange = Array.from({ length: slots }, async (_, at) => {
    await correlate(receipt(own, `strange ${at}`, { tenant_id: newId('ten') }))
    ended++
  })
  await eventually(() => expect(ended).toBe(slots / 2), { intervalMs: 50 })
  await Promise.all(strange)
})

test('suppressions wait little for strange bounces before them: 10,000 take a few seconds', async () => {
  const slots = 16
  const idle = { ...db, run: async () => [] } as never
  const correlate = createCorrelator({ db: idle }, suppressionLookups)
  const began = performance.now()
  for (let sent = 0; sent < 1600; sent += slots)
    await Promise.all(Array.from({ length: slots }, (_, at) => correlate(receipt(own, `strange ${sent + at}`, old))))
  // With the pace of receipts it takes ten.
  expect(performance.now() - began).toBeLessThan(9000)
})

test('a receipt of an earlier release, which names no tenant, counts for its account', async () => {
  const correlate = createCorrelator({ db }, { ...receiptLookups, waiting: { most: 4, mostOfTenant: 1 } })
  let ended = 0
  const strange = [own, own, second].map(async (account) => {
    await correlate(receipt(account, 'strange'))
    ended++
  })
  await eventually(() => expect(ended).toBe(1), { intervalMs: 50 })
  await Promise.all(strange)
})
