import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type Id, newId } from '@notify/contracts'
import { parseKeyRing } from '@notify/privacy'
import { type OpenSchema, useOwnSchema } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import { urlAad } from '../src/db/aad.ts'
import { migrations } from '../src/db/migrations.ts'
import { deleteOrphans } from '../src/deliveries/delete-old.ts'
import { insertDeliveries } from '../src/deliveries/insert-deliveries.ts'
import { exportTenant, importTenant } from '../src/moving/move-tenant.ts'
import { insertSubscription } from '../src/subscriptions/subscription-store.ts'

type Cell = OpenSchema & { url: string }
const cells: Cell[] = []
for (const _ of ['a', 'b'])
  useOwnSchema('webhook-delivery', { migrations }, ({ env, ...own }) => {
    cells.push({ ...own, url: env.stack.databaseUrl('webhook-delivery') })
  })

const keyRing = parseKeyRing(`one:${randomBytes(32).toString('base64')}`)
const shared = { TRANSPORT_KEY: randomBytes(32).toString('base64'), ENCRYPTION_KEYS: keyRing }

async function move(from: Cell, to: Cell, tenantId: Id<'ten'>): Promise<void> {
  const lines: string[] = []
  const args = ['--tenant', tenantId]
  const ends = { print: (line: string) => void lines.push(line), tell: () => {} }
  await exportTenant({ ...shared, DATABASE_URL: from.url }, createTestKit('webhook-delivery'), args, ends)
  const feed = async function* () {
    yield* lines
  }
  const feeding = { lines: feed(), print: () => {} }
  await importTenant({ ...shared, DATABASE_URL: to.url }, createTestKit('webhook-delivery'), args, feeding)
}

const newOwner = () => ({ tenantId: newId('ten'), applicationId: newId('app') })
type Owner = ReturnType<typeof newOwner>

async function subscribe({ db }: Cell, owner: Owner) {
  const id = newId('whsub')
  const url = keyRing.encrypt('https://hooks.example.com/', urlAad(owner.tenantId, id))
  const rest = { providerId: newId('prov'), events: ['notification.failed'], description: '' } as const
  await insertSubscription(db.run, { ...owner, ...rest, id, url })
  return id
}

/** Stores a delivery that waits for a subscription, or for an origin. */
async function store({ db }: Cell, { tenantId, applicationId }: Owner, subscription_id: Id<'whsub'> | null) {
  const endpoint_id = subscription_id ?? `origin_${tenantId}`
  await insertDeliveries(db.run, [
    {
      ...{ id: newId('whdel'), tenant_id: tenantId, application_id: applicationId, endpoint_id, subscription_id },
      ...{ notification_id: newId('notif'), retry_count: 0, event_type: 'order.shipped', provider_id: null },
      ...{ url: subscription_id ? null : Buffer.alloc(1), body: Buffer.alloc(1) },
      ...{ traceparent: null, recipient_index: null },
    },
  ])
  return endpoint_id
}

const endpointsOf = ({ db }: Cell, { tenantId }: Owner) =>
  db.run('select id, active from endpoints where tenant_id = $1 order by id', [tenantId])
const countWaiting = async ({ db }: Cell, { tenantId }: Owner) =>
  (await db.run('select from deliveries where tenant_id = $1 and next_attempt_at is not null', [tenantId])).length

test('an origin whose messages wait here stays when the tenant moves back, and a subscription is as in the other cell', async () => {
  const [a, b] = cells as [Cell, Cell]
  const owner = newOwner()
  const subscription = await subscribe(a, owner)
  await move(a, b, owner.tenantId)
  const origin = await store(a, owner, null)
  await store(b, owner, null)
  await b.db.run('update endpoints set active = false where id = $1', [subscription])
  await move(b, a, owner.tenantId)
  expect(await endpointsOf(a, owner)).toEqual([
    { id: origin, active: true },
    { id: subscription, active: false },
  ])
  expect(await countWaiting(a, owner)).toBe(1)
})

test('deliveries that wait here for a subscription that was deleted in the other cell are deleted when the tenant moves back', async () => {
  const [a, b] = cells as [Cell, Cell]
  const owner = newOwner()
  const [kept, deleted] = [await subscribe(a, owner), await subscribe(a, owner)]
  for (const one of [kept, deleted]) await store(a, owner, one)
  await move(a, b, owner.tenantId)
  for (const table of ['subscriptions', 'endpoints']) await b.db.run(`delete from ${table} where id = $1`, [deleted])
  await move(b, a, owner.tenantId)
  while (await deleteOrphans(a.db));
  expect(await countWaiting(a, owner)).toBe(1)
  await a.db.run(`update endpoints set deleted_at = deleted_at - interval '1 minute'`)
  while (await deleteOrphans(a.db));
  expect(await endpointsOf(a, owner)).toEqual([{ id: kept, active: true }])
})
