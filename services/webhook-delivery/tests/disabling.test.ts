import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { parseKeyRing } from '@notify/privacy'
import { useOwnSchema } from '@notify/test-kit/database'
import { newWebhookSecret } from '@notify/webhook-signature'
import type { Context } from '../src/context.ts'
import { bodyAad, urlAad } from '../src/db/aad.ts'
import { migrations } from '../src/db/migrations.ts'
import { createDelivery } from '../src/deliveries/deliver-webhook.ts'
import { insertDeliveries } from '../src/deliveries/insert-deliveries.ts'
import { takeDeliveries } from '../src/deliveries/take-deliveries.ts'
import { insertSubscription } from '../src/subscriptions/subscription-store.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ db } = own)
})

const keyRing = parseKeyRing(`test:${Buffer.alloc(32, 1).toString('base64')}`)
const owner = { tenantId: newId('ten'), applicationId: newId('app') }

/** Subscribes an address. */
async function subscribe() {
  const [id, providerId] = [newId('whsub'), newId('prov')]
  const sealed = keyRing.encrypt(newWebhookSecret(), `providers|${owner.tenantId}|${providerId}`)
  await db.run('insert into providers (id, tenant_id, secret) values ($1, $2, $3)', [
    providerId,
    owner.tenantId,
    sealed,
  ])
  const url = keyRing.encrypt('https://former.example/', urlAad(owner.tenantId, id))
  await insertSubscription(db.run, { ...owner, id, providerId, url, events: ['notification.failed'], description: '' })
  return id
}

/** Delivers an event. @param answer what happens during the request, and the status of the response */
async function deliver(
  subscription_id: Awaited<ReturnType<typeof subscribe>>,
  answer: () => Promise<number>,
  event_type = 'notification.failed',
) {
  const [id, tenant_id] = [newId('whdel'), owner.tenantId]
  const body = keyRing.encrypt('{}', bodyAad(tenant_id, id))
  await insertDeliveries(db.run, [
    {
      ...{ id, tenant_id, application_id: owner.applicationId, endpoint_id: subscription_id, subscription_id, body },
      ...{ notification_id: null, retry_count: 0, event_type, provider_id: null, url: null },
      ...{ traceparent: null, recipient_index: null },
    },
  ])
  const [taken] = await takeDeliveries(db.run, [{ endpoint_id: subscription_id, room: 1 }], 60_000)
  const nothing = () => {}
  const context = {
    ...{ db, secrets: { keyRing }, wakeOutbox: nothing, unreported: { ended: nothing } },
    config: { WEBHOOK_RETRY_DELAYS: [], WEBHOOK_DISABLE_AFTER: 5 * 86_400_000 },
    log: { debug: nothing, warn: nothing, error: nothing },
    metrics: { attempted: nothing, disabled: nothing },
    egress: {
      post: async () => ({
        ...{ kind: 'answered', status: await answer(), headers: {}, body: Buffer.alloc(0), durationMs: 1 },
      }),
    },
  } as unknown as Context
  await createDelivery(context)(taken!)
}

const statusOf = async (id: string) =>
  (await db.run('select status, disabled_reason from subscriptions where id = $1', [id]))[0]
const active = { status: 'active', disabled_reason: null }

test('410 from an address that the subscription had during the request does not disable it at the new one', async () => {
  const id = await subscribe()
  const moved = keyRing.encrypt('https://new.example/', urlAad(owner.tenantId, id))
  await deliver(id, async () => {
    await db.run('update subscriptions set url = $2 where id = $1', [id, moved])
    return 410
  })
  expect(await statusOf(id)).toEqual(active)
  await deliver(id, async () => 410)
  expect(await statusOf(id)).toEqual({ status: 'disabled', disabled_reason: 'gone' })
})

test('410 in answer to a test event does not disable a subscription, in answer to an event it does', async () => {
  const id = await subscribe()
  await deliver(id, async () => 410, 'webhook.test')
  expect(await statusOf(id)).toEqual(active)
  await deliver(id, async () => 410)
  expect(await statusOf(id)).toEqual({ status: 'disabled', disabled_reason: 'gone' })
})

test('two failures with days between them and no attempt are not days of failures', async () => {
  const id = await subscribe()
  const fail = () => deliver(id, async () => 500)
  const pass = (days: number) =>
    db.run(
      `update endpoints set failing_since = failing_since - $2 * interval '1 day', failed_at = failed_at - $2 * interval '1 day'
       where id = $1`,
      [id, days],
    )
  await fail()
  await pass(6)
  await fail()
  expect(await statusOf(id)).toEqual(active)
  await pass(1)
  await deliver(id, async () => 200)
  for (let day = 0; day < 6; day++) {
    expect(await statusOf(id)).toEqual(active)
    await pass(1)
    await fail()
  }
  expect(await statusOf(id)).toEqual({ status: 'disabled', disabled_reason: 'failing' })
})
