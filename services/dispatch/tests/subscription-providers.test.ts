import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sendingCarriers } from '@notify/carriers/sending'
import { type KeyPrincipal, newId, type Principal, type SubscriptionChange } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { TestEnv } from '@notify/dev-env'
import { UnreadableError } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { createPrincipalSigner, principalHeader, type SignPrincipal } from '@notify/service-kit'
import { expectProblem } from '@notify/test-kit/api'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { openSchema } from '@notify/test-kit/database'
import type { TestKit } from '@notify/test-kit/kit'
import { endSubscriptionProvider } from '../src/catalogue/providers/end-subscription-provider.ts'
import { createProviderDirectory } from '../src/catalogue/providers/provider-directory.ts'
import { findProvider, requireRoomForProvider } from '../src/catalogue/providers/provider-store.ts'
import type { Context } from '../src/context.ts'
import { migrations } from '../src/db/migrations.ts'

const permissions = ['webhooks:manage'] as const

let env: TestEnv
let db: Queries
let kit: TestKit
let context: Context
let sign: SignPrincipal
beforeAll(async () => {
  env = await TestEnv.start(['dispatch'])
  ;({ db, kit } = await openSchema(env, 'dispatch', { migrations }))
  const { encryption_keys, principal_signing_key } = env.stack.state
  const keyRing = parseKeyRing(encryption_keys)
  const parts = { db, log: kit.log, secrets: { keyRing }, carrierTable: sendingCarriers, wakeOutbox() {} }
  context = parts as unknown as Context
  sign = await createPrincipalSigner(principal_signing_key)
})
afterAll(async () => {
  await kit?.stop()
  await env?.stop()
})

/** The provider of a new subscription, and what its application or another caller may ask of it. */
function subscription(caller: KeyPrincipal = newKeyPrincipal({ permissions: [...permissions] })) {
  const [provider_id, subscription_id] = [newId('prov'), newId('whsub')]
  const { tenant_id, application_id } = caller
  const owner = { subscription_id, application_id }
  const ask = async (rest: string, body: object, { as = caller, key }: { as?: Principal; key?: string } = {}) =>
    env.call('dispatch-api', 'POST', `/internal/v1/subscription-providers${rest}`, {
      headers: { [principalHeader]: await sign(as), ...(key ? { 'idempotency-key': key } : {}) },
      body,
    })
  const change: SubscriptionChange = {
    ...{ provider_id, subscription_id, tenant_id, application_id, status: 'deleted', reason: null, actor: null },
    ...{ revision: 2, occurred_at: new Date().toISOString() },
  }
  return {
    ...{ provider_id, caller, change },
    create: (as?: Principal) => ask('', { provider_id, ...owner }, as ? { as } : {}),
    rotate: (key?: string, as?: Principal) =>
      ask(`/${provider_id}/rotate-secret`, owner, { ...(as ? { as } : {}), ...(key ? { key } : {}) }),
    end: (fields: Partial<SubscriptionChange> = {}) => endSubscriptionProvider(context, { ...change, ...fields }),
    stored: () => findProvider(db.run, tenant_id, provider_id),
  }
}

test('a provider is created once under the id that was chosen for it, however often it is asked for', async () => {
  const { create, stored } = subscription()
  const answers = await Promise.all([create(), create(), create()])
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers[0]!.body).toMatchObject({ revision: 1, credentials: { secret: expect.stringMatching(/^whsec_/) } })
  expect(await stored()).toMatchObject({ revision: 1, kind: 'webhook', updated_by: null })
  expect((await stored())!.credentials.toString()).not.toContain(answers[0]!.body.credentials.secret)
})

test('a secret is rotated once for each Idempotency-Key, the caller is recorded, and three sign at most', async () => {
  const { create, rotate, caller } = subscription()
  const made = (await create()).body.credentials.secret
  const [first, again] = await Promise.all([rotate('once'), rotate('once')])
  expect([first.status, again.text]).toEqual([200, first.text])
  expect(first.body).toMatchObject({ revision: 2, credentials: { previous_secret: made } })
  const operator: Principal = {
    ...{ kind: 'operator', subject: 'op_1', tenant_id: caller.tenant_id, permissions: [...permissions] },
  }
  const [second, third] = [await rotate('once', operator), await rotate()]
  const { secret, previous_secret, older_secret, ...times } = third.body.credentials
  expect([previous_secret, older_secret]).toEqual([second.body.credentials.secret, first.body.credentials.secret])
  expect(secret).not.toBe(previous_secret)
  expect(Object.keys(times)).toEqual(['previous_until', 'older_until'])
  const entries = await db.run<{ actor: string }>(
    `select events::json #>> '{0,event,actor,id}' as actor from outbox where subject = 'dispatch.audit.recorded'
       and events::json #>> '{0,event,actor,kind}' <> 'system' order by id`,
  )
  expect(entries.map(({ actor }) => actor)).toEqual([caller.key_id, 'op_1', caller.key_id])
})

test('the provider of another owner is not found, nor is one that signs for several', async () => {
  const { create, rotate, caller } = subscription()
  await create()
  const others = [
    newKeyPrincipal({ permissions: [...permissions] }),
    newKeyPrincipal({ permissions: [...permissions], tenant_id: caller.tenant_id }),
  ]
  for (const other of others) {
    expectProblem(await create(other), 404, 'not_found')
    expectProblem(await rotate(undefined, other), 404, 'not_found')
  }
  expectProblem(await create({ ...caller, permissions: [] }), 403, 'permission_denied')
  const unknown = subscription()
  expectProblem(await unknown.rotate(), 404, 'not_found')
})

test('the deletion of a subscription deletes its provider once; the deletion of another leaves it alone', async () => {
  const { create, rotate, end, stored, provider_id } = subscription()
  await create()
  await end({ subscription_id: newId('whsub') })
  await end({ status: 'disabled' })
  expect(await stored()).toMatchObject({ revision: 1 })
  await Promise.all([end(), end()])
  expect(await stored()).toBeUndefined()
  const rows = await db.run('select revision from providers where id = $1', [provider_id])
  expect(rows).toEqual([{ revision: 2 }])
  expectProblem(await rotate(), 404, 'not_found')
})

test('a deletion that comes before the creation is not undone by it', async () => {
  const { create, end, stored } = subscription()
  await end()
  expectProblem(await create(), 404, 'not_found')
  expect(await stored()).toBeUndefined()
})

test('the deletion of a provider whose credentials cannot be decrypted is unreadable: it leaves its stream at once', async () => {
  const { create, end, stored, provider_id } = subscription()
  await create()
  const [kept] = await db.run<{ credentials: Buffer }>('select credentials from providers where id = $1', [provider_id])
  const store = (credentials: Buffer) =>
    db.run('update providers set credentials = $2 where id = $1', [provider_id, credentials])
  await store(parseKeyRing(`lost:${Buffer.alloc(32, 1).toString('base64')}`).encrypt('{}', 'any'))
  await expect(end()).rejects.toThrow(UnreadableError)
  await store(kept!.credentials)
  await end()
  expect(await stored()).toBeUndefined()
})

test('it does not make the channel webhook usable', async () => {
  const { create, caller } = subscription()
  await create()
  const directory = createProviderDirectory(db, context.secrets.keyRing, sendingCarriers, context.log)
  expect(await directory.has(caller.tenant_id, caller.application_id, 'webhook')).toBe(false)
})

test('it does not count towards the limit of providers of its tenant', async () => {
  const { create, caller, provider_id } = subscription()
  await create()
  const requireRoom = () => db.transaction((run) => requireRoomForProvider(run, caller.tenant_id, 1))
  await requireRoom()
  await db.run('update providers set subscription_id = null where id = $1', [provider_id])
  await expect(requireRoom()).rejects.toMatchObject({ code: 'provider_limit_reached' })
})
