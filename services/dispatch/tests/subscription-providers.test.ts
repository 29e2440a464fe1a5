import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { sendingCarriers } from '@notify/carriers/sending'
import { newId, subscriptionProviderChanged } from '@notify/contracts'
import { sealEvent } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { createTestKit } from '@notify/test-kit/kit'
import { type FormerFields, newWebhookSecret } from '@notify/webhook-signature'
import { keepSubscriptionProvider } from '../src/catalogue/providers/keep-subscription-provider.ts'
import { createProviderDirectory } from '../src/catalogue/providers/provider-directory.ts'
import { findProvider } from '../src/catalogue/providers/provider-store.ts'
import { credentialsOf } from '../src/catalogue/providers/write-provider.ts'
import type { Context } from '../src/context.ts'
import { db } from './own-schema.ts'

const keyRing = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`)
const [tenant_id, application_id] = [newId('ten'), newId('app')]

let context: Context
beforeAll(async () => {
  const { log } = createTestKit('dispatch')
  context = {
    db,
    log,
    secrets: { keyRing },
    carrierTable: sendingCarriers,
    wakeOutbox() {},
  } as unknown as Context
})

function subscription() {
  const [provider_id, subscription_id] = [newId('prov'), newId('whsub')]
  const change = (
    version: number,
    secret: string,
    status: 'active' | 'deleted' = 'active',
    former: FormerFields = {},
  ) => {
    const payload = { provider_id, subscription_id, tenant_id, application_id, version, status }
    const content = { secret, ...former }
    return keepSubscriptionProvider(context, sealEvent(keyRing, subscriptionProviderChanged, payload, content))
  }
  const kept = async () => {
    const row = await findProvider(db.run, tenant_id, provider_id)
    return row && { version: row.subscription_version, ...credentialsOf(context, row) }
  }
  return { provider_id, change, kept }
}

test('changes that come twice or late change nothing, and the secret before stays for a day', async () => {
  const { provider_id, change, kept } = subscription()
  const [first, second] = [newWebhookSecret(), newWebhookSecret()]
  await Promise.all([change(2, second), change(1, first), change(2, second), change(1, first)])
  await change(1, first)
  expect(await kept()).toMatchObject({ version: 2, secret: second })
  await change(3, first)
  const previous_until = expect.any(String)
  expect(await kept()).toEqual({ version: 3, secret: first, previous_secret: second, previous_until })
  const told = await db.run<{ revision: number }>(
    `select revision from providers where id = $1 and subscription_id is not null`,
    [provider_id],
  )
  expect(told[0]!.revision).toBeGreaterThanOrEqual(2)
})

test('a change that comes before the one that precedes it loses no secret that still signs', async () => {
  const { change, kept } = subscription()
  const [first, second, third] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
  const until = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  await change(1, first)
  const former = { previous_secret: second, previous_until: until(24), older_secret: first, older_until: until(23) }
  await change(3, third, 'active', former)
  await change(2, second)
  expect(await kept()).toEqual({ version: 3, secret: third, ...former })
})

test('a deletion that comes before the creation is not undone by it', async () => {
  const { change, kept } = subscription()
  const secret = newWebhookSecret()
  await change(2, secret, 'deleted')
  await change(1, secret)
  expect(await kept()).toBeUndefined()
})

test('it does not make the channel webhook usable', async () => {
  const { change } = subscription()
  await change(1, newWebhookSecret())
  const directory = createProviderDirectory(db, keyRing, sendingCarriers, context.log)
  expect(await directory.has(tenant_id, application_id, 'webhook')).toBe(false)
})
