import { expect, test } from '@jest/globals'
import { type NotificationFact, newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { parseKeyRing } from '@notify/privacy'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { insertDeliveries } from '../src/deliveries/insert-deliveries.ts'
import { createFanOut } from '../src/facts/fan-out.ts'
import { EarlyEvent } from '../src/facts/find-early.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ db } = own)
})

const [tenant_id, application_id] = [newId('ten'), newId('app')]
/** A subscription gets what is accepted 5 s after its last change, because clocks differ. */
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString()

const fact = (fields: Partial<NotificationFact>) =>
  ({
    ...{ tenant_id, application_id, mode: 'live', channel: 'sms', event_key: null, status: 'failed' },
    ...{ recipient_masked: '+1***', recipient_index: 'index', metadata: null, failure_reason: null },
    created_at: ahead(10_000),
    occurred_at: ahead(20_000),
    ...fields,
  }) as NotificationFact

async function subscribe(): Promise<void> {
  const provider = newId('prov')
  await db.run(`insert into providers (id, tenant_id, own, secret) values ('${provider}', '${tenant_id}', true, '')`)
  await db.run(
    `insert into subscriptions (id, tenant_id, application_id, provider_id, url, events, description)
     values ($1, $2, $3, $4, '', '{notification.failed,notification.delivered}', '')`,
    [newId('whsub'), tenant_id, application_id, provider],
  )
}

test('of two facts of one message that come together, the first is stored and only the second waits', async () => {
  await subscribe()
  const fanOut = createFanOut({
    db,
    config: { WEBHOOK_RETENTION: 86_400_000, WEBHOOK_ORDER_LIMIT: 120_000 },
    secrets: {
      keyRing: parseKeyRing(`key:${Buffer.alloc(32, 1).toString('base64')}`),
      renewIndex: (_, index) => index,
    },
    metrics: { stored: () => {} },
    postpone: async () => {},
    storeDeliveries: async (deliveries) => {
      await insertDeliveries(db.run, deliveries)
      return new Set(deliveries.map(({ id }) => id))
    },
  })
  const notification_id = newId('notif')
  const send = (fields: Partial<NotificationFact>) => fanOut(fact({ notification_id, ...fields }), undefined)
  await send({ retry_count: 0 })
  await db.run(`update deliveries set status = 'succeeded', charged = 1`)
  const [failed, delivered] = await Promise.allSettled([
    send({ retry_count: 1 }),
    send({ retry_count: 1, status: 'delivered', after_failure: true }),
  ])
  expect(failed).toMatchObject({ status: 'fulfilled' })
  expect(delivered).toMatchObject({ status: 'rejected', reason: expect.any(EarlyEvent) })
})
