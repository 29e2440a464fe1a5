import { afterEach, expect, jest, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries, Run } from '@notify/database'
import { eventually } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'
import { useOwnSchema } from '@notify/test-kit/database'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { newWebhookSecret } from '@notify/webhook-signature'
import type { Context } from '../src/context.ts'
import { bodyAad, urlAad } from '../src/db/aad.ts'
import { migrations } from '../src/db/migrations.ts'
import { insertDeliveries, type NewDelivery } from '../src/deliveries/insert-deliveries.ts'
import { createDeliveryStore } from '../src/deliveries/store-deliveries.ts'
import { startEndpoints } from '../src/endpoints/start-endpoints.ts'
import { createMetrics } from '../src/metrics.ts'
import { insertSubscription } from '../src/subscriptions/subscription-store.ts'

let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ db } = own)
})
const kits: TestKit[] = []
afterEach(async () => {
  jest.restoreAllMocks()
  await Promise.all(kits.map((kit) => kit.stop()))
})

const keyRing = parseKeyRing(`test:${Buffer.alloc(32, 1).toString('base64')}`)
const owner = { tenantId: newId('ten'), applicationId: newId('app') }

/** A delivery to a new subscription. */
async function newDelivery(): Promise<NewDelivery> {
  const [id, providerId, delivery] = [newId('whsub'), newId('prov'), newId('whdel')]
  const { tenantId: tenant_id, applicationId: application_id } = owner
  const secret = keyRing.encrypt(newWebhookSecret(), `providers|${tenant_id}|${providerId}`)
  await db.run('insert into providers (id, tenant_id, secret) values ($1, $2, $3)', [providerId, tenant_id, secret])
  const url = keyRing.encrypt('https://receiver.example/', urlAad(tenant_id, id))
  await insertSubscription(db.run, { ...owner, id, providerId, url, events: ['notification.failed'], description: '' })
  return {
    ...{ id: delivery, tenant_id, application_id, endpoint_id: id, subscription_id: id },
    ...{ body: keyRing.encrypt('{}', bodyAad(tenant_id, delivery)), url: null, provider_id: null },
    ...{ notification_id: null, retry_count: 0, event_type: 'notification.failed' },
    ...{ traceparent: null, recipient_index: null },
  }
}

/** The workers of a process. @param posts its requests, and those of others */
function startProcess(posts: string[], queries: Queries = db) {
  const kit = createTestKit('webhook-delivery')
  kits.push(kit)
  const nothing = () => {}
  const context = {
    ...{ db: queries, log: kit.log, secrets: { keyRing }, metrics: createMetrics(kit.metrics) },
    ...{ wakeOutbox: nothing, unreported: { ended: nothing } },
    config: {
      ...{ WEBHOOK_ENDPOINTS: 4, WEBHOOK_IN_FLIGHT: 1, WEBHOOK_TIMEOUT: 15_000 },
      ...{ WEBHOOK_RETRY_DELAYS: [5000], WEBHOOK_OWN_FAULT_DELAY: 30_000, WEBHOOK_DISABLE_AFTER: 5 * 86_400_000 },
    },
    egress: {
      async post({ url }: { url: string }) {
        posts.push(url)
        return { kind: 'answered', status: 204, headers: {}, body: Buffer.alloc(0), durationMs: 1 }
      },
    },
  } as unknown as Context
  const desk = startEndpoints(kit, context, nothing)
  return { kit, store: createDeliveryStore(context, desk) }
}

/** The first answer to a statement, which the process reads late. */
function lateAnswer(name: string) {
  const isRun = Promise.withResolvers<void>()
  const isRead = Promise.withResolvers<void>()
  let count = 0
  const run = (async (statement: { name?: string }, values: unknown[]) => {
    const rows = await db.run(statement as never, values as never)
    if (statement.name === name && count++ === 0) {
      isRun.resolve()
      await isRead.promise
    }
    return rows
  }) as unknown as Run
  return { isRun: isRun.promise, read: isRead.resolve, queries: { ...db, run } }
}

const stateOf = async (id: string) => (await db.run('select status, attempts from deliveries where id = $1', [id]))[0]

test.each(['take-deliveries', 'insert-deliveries'])(
  'a process that stood still with the answer to %s posts nothing that another one has taken meanwhile',
  async (name) => {
    const posts: string[] = []
    const delivery = await newDelivery()
    const { isRun, read, queries } = lateAnswer(name)
    if (name === 'take-deliveries') await insertDeliveries(db.run, [delivery])
    const late = startProcess(posts, queries)
    const storing = name === 'insert-deliveries' && late.store([delivery])
    await isRun
    await db.run('update deliveries set next_attempt_at = now() where id = $1', [delivery.id])
    await db.run('update endpoints set leased_until = null, next_due_at = now() where id = $1', [delivery.endpoint_id])
    const other = startProcess(posts)
    const delivered = { status: 'succeeded', attempts: 2 }
    await eventually(async () => expect(await stateOf(delivery.id)).toEqual(delivered))
    const now = performance.now.bind(performance)
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 30_000)
    read()
    await storing
    await Promise.all([late.kit.stop(), other.kit.stop()])
    expect(posts).toEqual(['https://receiver.example/'])
    expect(await stateOf(delivery.id)).toEqual(delivered)
  },
)

test('a process that stops begins no webhook, however long its other resources take to stop', async () => {
  const posts: string[] = []
  const { kit, store } = startProcess(posts)
  const slow = Promise.withResolvers<void>()
  kit.lifecycle.onStop('slow', () => slow.promise)
  const delivery = await newDelivery()
  const stopped = kit.stop()
  try {
    await store([delivery])
  } finally {
    slow.resolve()
    await stopped
  }
  expect(posts).toEqual([])
  expect(await stateOf(delivery.id)).toEqual({ status: 'pending', attempts: 0 })
})
