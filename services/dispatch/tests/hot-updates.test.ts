import { beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { settleAttempts } from '../src/deliver/settle/settle-store.ts'
import { applyReceipts } from '../src/outcome/receipts/receipt-store.ts'
import { addProviders, createOwnNotifications } from './own-notifications.ts'

const tenantId = newId('ten')
const providerId = newId('prov')

let db: Queries
useOwnSchema('dispatch', { migrations, poolSize: 1 }, (own) => {
  db = own.db
})
beforeAll(async () => {
  await addProviders(db, tenantId, providerId)
})

/** Notifications from acceptance to their receipts, in batches as under load. */
async function deliver(count: number): Promise<void> {
  const own = createOwnNotifications(db, tenantId)
  const claims = await own.claim(await own.queued(count))
  await settleAttempts(
    db,
    claims.map(({ id, attempt_id, attempt_count }) => ({
      notificationId: id,
      attemptNumber: attempt_count,
      attemptId: attempt_id,
      leaseExpired: false,
      providerId,
      outcome: 'accepted',
      code: null,
      message: null,
      providerMessageId: `SM${id}`,
      next: { status: 'sent' },
    })),
  )
  await applyReceipts(
    db,
    claims.map(({ id, attempt_id }) => ({
      channel: 'sms',
      provider_id: providerId,
      provider_message_id: `SM${id}`,
      notification_id: id as `notif_${string}`,
      attempt_id: attempt_id as `att_${string}`,
      status: 'delivered',
      error_code: null,
      received_at: new Date().toISOString(),
    })),
  )
}

/** Whether a row finds room in its page depends on what else runs on this server, which may hold its earlier versions. */
test('a change of a notification that finds room in its page writes no index, and nothing is left in flight', async () => {
  for (let batch = 0; batch < 20; batch++) await deliver(64)
  await db.run('select pg_stat_force_next_flush()')
  const [row] = await db.run<{ updates: number; hot: number; moved: number }>(
    `select n_tup_upd::int as updates, n_tup_hot_upd::int as hot, n_tup_newpage_upd::int as moved
     from pg_stat_user_tables where relid = 'notifications'::regclass`,
  )
  expect(row!.updates).toBe(3 * 20 * 64)
  expect(row!.hot).toBe(row!.updates - row!.moved)
  expect(row!.hot).toBeGreaterThan(0)
  expect(await db.run('select id from in_flight')).toEqual([])
})
