import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'
import type { NewDelivery } from '../src/deliveries/insert-deliveries.ts'
import { createDeliveryStore } from '../src/deliveries/store-deliveries.ts'
import { startEndpoints } from '../src/endpoints/start-endpoints.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ db } = own)
})

function deliveryTo(endpoint_id: string, tenant_id: string) {
  return {
    ...{ id: newId('whdel'), tenant_id, application_id: newId('app'), endpoint_id, subscription_id: endpoint_id },
    ...{ notification_id: newId('notif'), retry_count: 0, event_type: 'notification.delivered', provider_id: null },
    ...{ url: null, body: Buffer.from('x'), traceparent: null, recipient_index: 'index' },
  } as NewDelivery
}

test.each([
  ['where nothing is due', 'null'],
  ['where something is due already', 'now()'],
])('the process that has an endpoint %s is notified of each delivery that another one stores', async (_case, dueAt) => {
  const kit = createTestKit('webhook-delivery')
  const notified: string[] = []
  const config = { WEBHOOK_ENDPOINTS: 64, WEBHOOK_IN_FLIGHT: 64, WEBHOOK_TIMEOUT: 1000 }
  const context = { db, config, log: kit.log } as unknown as Parameters<typeof startEndpoints>[1]
  const desk = startEndpoints(kit, context, (id) => notified.push(id))
  try {
    const [endpoint, tenant] = [newId('whsub'), newId('ten')]
    await db.run(
      `insert into endpoints (id, tenant_id, leased_until, next_due_at) values ($1, $2, now() + interval '1 minute', ${dueAt})`,
      [endpoint, tenant],
    )
    const store = createDeliveryStore(context, desk)
    await store([deliveryTo(endpoint, tenant)])
    expect(notified).toEqual([endpoint])
    await store([deliveryTo(endpoint, tenant)])
    expect(notified).toEqual([endpoint, endpoint])
  } finally {
    await kit.lifecycle.stop()
  }
})
