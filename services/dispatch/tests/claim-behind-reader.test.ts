import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'
import { entriesBehindReader, useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { claimForSending } from '../src/deliver/claim/claim-store.ts'
import { putBackClaims } from '../src/deliver/claim/put-back-store.ts'
import { SendQueues, type Since } from '../src/deliver/queues/send-queues.ts'

let db: Queries
let env: TestEnv
useOwnSchema('dispatch', { migrations, poolSize: 1 }, (own) => {
  ;({ db, env } = own)
})

const lane = { lane: 'bulk', channel: 'sms' } as const
const key = { tenant_id: newId('ten'), application_id: 'app_1', mode: 'live' } as const

const claimOne = (since: Since) =>
  claimForSending(db, lane, [{ key, most: 1, since }], [newId('att')], 60).then(({ claims }) => claims)

/** Messages of the queue. @returns the time of the oldest */
async function queued(count: number, ago: string): Promise<Date> {
  const [row] = await db.runLong<{ oldest: Date }>(
    `with added as (
       insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits, payload, enqueued_at)
       select 'notif_' || gen_random_uuid(), $2, $3, 'sms', 'bulk', 'live', '+1***', 'index ' || i, 1, '', now() - $4::interval
       from generate_series(1, $1::int) as i returning enqueued_at)
     select min(enqueued_at) as oldest from added`,
    [count, key.tenant_id, key.application_id, ago],
  )
  return row!.oldest
}

test('a claim reads none of the messages that were sent before, also while nothing can be vacuumed', async () => {
  const index = 'in_flight_ready'
  const before = async () => {
    await queued(3000, '1 minute')
    await db.runLong(`update notifications set status = 'sent'`)
    await queued(3, '1 second')
  }
  const claimNew = async () => expect(await claimOne('now')).toHaveLength(1)
  expect(await entriesBehindReader(db, env.sql('dispatch'), { index, before, work: claimNew })).toBeLessThan(50)
})

test('a claim after a message was put back reads none of those that were sent before, and finds that one', async () => {
  const index = 'in_flight_ready'
  const queue = new SendQueues(10).of(key)
  let putBack: string | undefined
  const before = async () => {
    await queued(3000, '1 minute')
    await db.runLong(`update notifications set status = 'sent'`)
    await queued(1, '30 seconds')
    const [claim] = await claimOne('earliest')
    await putBackClaims(db, [{ claim: claim!, afterMs: 0 }])
    queue.putBack(claim!.enqueued_at)
    putBack = claim!.id
  }
  const claimAgain = async () => expect(await claimOne(queue.since)).toMatchObject([{ id: putBack }])
  expect(await entriesBehindReader(db, env.sql('dispatch'), { index, before, work: claimAgain })).toBeLessThan(50)
})

test('a claim finds the oldest message that it is given, and without it only what was queued in the last seconds', async () => {
  await db.runLong(`update notifications set status = 'sent'`)
  const oldest = await queued(3, '1 hour')
  expect(await claimOne('now')).toEqual([])
  expect(await claimOne(oldest)).toHaveLength(1)
  expect(await claimOne(new Date(oldest.getTime() + 3000))).toHaveLength(1)
  expect(await claimOne('earliest')).toHaveLength(1)
})
