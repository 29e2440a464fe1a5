import { expect, test } from '@jest/globals'
import { earliestId, newId, providerRemoved } from '@notify/contracts'
import { type ApiResponse, eventually } from '@notify/dev-env'
import { verifyWebhook } from '@notify/sdk'
import { untilAvailable } from '@notify/test-kit/api'
import { openBus } from '@notify/test-kit/bus'
import { expectDocumented, freshPath, received, subscribe, untilReceived } from '@notify/test-kit/webhooks'
import { env, operator } from './stack.ts'

test('a rotated secret signs beside the new one, and the secret is shown once', async () => {
  const path = freshPath('ok')
  const { secret, subscription_id } = await subscribe(env, path)
  const rotated = await operator('POST', `/api/v1/webhook-subscriptions/${subscription_id}/rotate-secret`)
  expect(rotated.status).toBe(200)
  expect(rotated.body.secret).not.toBe(secret)
  const tried = await operator('POST', `/api/v1/webhook-subscriptions/${subscription_id}/test`)
  expect(tried.status).toBe(202)
  const [only] = await untilReceived(env, path, 1)
  expectDocumented(only!)
  for (const one of [secret, rotated.body.secret]) {
    expect(verifyWebhook(only!.headers, only!.body, one)).toMatchObject({ type: 'webhook.test' })
  }
  const { body, text } = await operator('GET', `/api/v1/webhook-subscriptions/${subscription_id}`)
  expect([body.secret, text.includes('whsec_')]).toEqual([undefined, false])
})

test('secrets that are rotated several times within a day all sign, at most three, wherever they are rotated', async () => {
  const path = freshPath('ok')
  const made = await subscribe(env, path)
  const subscription = `/api/v1/webhook-subscriptions/${made.subscription_id}`
  const provider = `/api/v1/providers/${made.provider_id}`
  await eventually(async () => expect((await operator('GET', provider)).status).toBe(200))
  const secrets = [made.secret]
  const rotate = async (at: string) => {
    const { status, body } = await operator('POST', `${at}/rotate-secret`)
    expect(status).toBe(200)
    secrets.unshift(body.secret)
  }
  const untilTold = () =>
    eventually(async () => {
      const shown = `****${secrets[0].slice(-4)}`
      expect((await operator('GET', provider)).body.credentials.secret).toBe(shown)
    })
  await rotate(subscription)
  await rotate(subscription)
  await untilSigning(secrets)
  await untilTold()
  await untilSigning(secrets)
  await rotate(provider)
  await untilSigning(secrets.slice(0, 3))
  await rotate(subscription)
  await untilTold()
  await untilSigning(secrets.slice(0, 3))

  /** Waits until a webhook has the signatures of exactly these secrets. */
  async function untilSigning(signing: string[]) {
    await eventually(async () => {
      const before = (await received(env, path)).length
      await operator('POST', `${subscription}/test`)
      const newest = (await untilReceived(env, path, before + 1)).at(-1)!
      expect(newest.headers['x-svc-signature']!.split(',')).toHaveLength(signing.length)
      for (const secret of signing) expect(() => verifyWebhook(newest.headers, newest.body, secret)).not.toThrow()
    })
  }
})

test('a subscription whose provider was deleted is changed to name another, and then the secret of the former is erased', async () => {
  const [path, base] = [freshPath('ok'), '/api/v1/webhook-subscriptions']
  const add = async () => {
    const fields = { channel: 'webhook', kind: 'webhook', name: 'Shared', application_id: env.applicationId }
    const { status, body } = await operator('POST', '/api/v1/providers', fields)
    expect(status).toBe(201)
    return { id: body.provider_id as string, secret: body.secret as string }
  }
  const [leaked, next] = [await add(), await add()]
  const { subscription_id } = await eventually(() => subscribe(env, path, { provider_id: leaked.id }))
  const change = (provider_id: string, id = subscription_id) => operator('PATCH', `${base}/${id}`, { provider_id })
  const signedWith = async (secret: string) => {
    const before = (await received(env, path)).length
    await operator('POST', `${base}/${subscription_id}/test`)
    const newest = (await untilReceived(env, path, before + 1)).at(-1)!
    expect(() => verifyWebhook(newest.headers, newest.body, secret)).not.toThrow()
  }
  await signedWith(leaked.secret)
  const rotate = () => operator('POST', `${base}/${subscription_id}/rotate-secret`)
  expect((await rotate()).body).toMatchObject({ code: 'secret_of_provider', detail: expect.stringMatching(/there$/) })

  expect((await operator('DELETE', `/api/v1/providers/${leaked.id}`)).status).toBe(204)
  const kept = async () =>
    (
      await env
        .sql('webhook-delivery')
        .query('select secret is not null as secret, deleted_at, removed_at from providers where id = $1', [leaked.id])
    ).rows[0]
  await eventually(async () => expect(await kept()).toMatchObject({ deleted_at: expect.any(Date), removed_at: null }))
  expect((await rotate()).body.detail).toContain('was deleted; change the subscription')
  await using bus = await openBus(env)
  const { tenant_id } = env.stack.state
  const removal = { provider_id: leaked.id, tenant_id, channel: 'webhook', kind: 'webhook', revision: 99 }
  await bus.js.publish(providerRemoved.subject, JSON.stringify([{ event: removal }]), { msgID: newId('msg') })
  await eventually(async () => expect(await kept()).toMatchObject({ secret: true, removed_at: expect.any(Date) }))
  await signedWith(leaked.secret)

  const own = await subscribe(env, path)
  for (const refused of [
    await change(next.id, own.subscription_id),
    await change(own.provider_id),
    await change(earliestId('prov', 0)),
  ])
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([422, 'provider_id'])
  expect((await change(leaked.id)).status).toBe(200)
  const changed = await change(next.id)
  expect([changed.status, changed.body.provider_id]).toEqual([200, next.id])
  await signedWith(next.secret)
  expect(await kept()).toMatchObject({ secret: false })
})

test('a provider whose copy has not arrived is answered 503, and then the same key subscribes; an old unknown one is refused', async () => {
  const base = '/api/v1/webhook-subscriptions'
  const { application_id } = (await operator('POST', '/api/v1/applications', { name: 'Quick' })).body
  const url = env.stack.receiverUrl + freshPath('ok')
  const naming = (provider_id: string) => ({ application_id, url, events: ['notification.failed'], provider_id })
  const [token, headers] = [env.operatorToken, { 'idempotency-key': crypto.randomUUID() }]
  const create = (provider_id: string) => env.api('POST', base, { token, headers, body: naming(provider_id) })
  /** Names new providers until one is answered as unknown: a busy service answers 503 as well. @returns its id */
  const untilUnknown = (name: (providerId: string) => Promise<ApiResponse>) =>
    eventually(async () => {
      const id = newId('prov')
      const answer = await name(id)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      expect(answer.body.detail).toContain('is known here yet')
      return id
    })
  const id = await untilUnknown(create)
  const refused = await operator('POST', base, naming(earliestId('prov', Date.now() - 3_600_000)))
  expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([422, 'provider_id'])

  const copy = [id, env.tenantId, application_id]
  const sql = env.sql('webhook-delivery')
  await sql.query('insert into providers (id, tenant_id, application_id) values ($1, $2, $3)', copy)
  const made = await untilAvailable(() => create(id))
  expect([made.status, made.body.provider_id]).toEqual([201, id])
  const subscription = `${base}/${made.body.subscription_id}`
  await untilUnknown((provider_id) => env.api('PATCH', subscription, { token, body: { provider_id } }))
})

test('the provider that a subscription makes is one of the tenant: listed, rotated at either end, gone with it', async () => {
  const path = freshPath('ok')
  const made = await subscribe(env, path)
  const subscription = `/api/v1/webhook-subscriptions/${made.subscription_id}`
  const provider = `/api/v1/providers/${made.provider_id}`
  const shown = (secret: string) => ({
    provider_id: made.provider_id,
    subscription_id: made.subscription_id,
    application_id: env.applicationId,
    kind: 'webhook',
    credentials: expect.objectContaining({ secret: `****${secret.slice(-4)}` }),
  })
  await eventually(async () => expect((await operator('GET', provider)).body).toMatchObject(shown(made.secret)))
  const { items } = (await operator('GET', '/api/v1/providers?channel=webhook&limit=100')).body
  expect(items).toContainEqual(expect.objectContaining(shown(made.secret)))

  const refused = await operator('DELETE', provider)
  expect([refused.status, refused.body.code]).toEqual([409, 'provider_in_use'])
  const second = await operator('POST', '/api/v1/webhook-subscriptions', {
    application_id: env.applicationId,
    url: env.stack.receiverUrl + path,
    events: ['notification.failed'],
    provider_id: made.provider_id,
  })
  expect([second.status, second.body.errors?.[0]?.path]).toEqual([422, 'provider_id'])

  const there = (await operator('POST', `${provider}/rotate-secret`)).body.secret
  await untilSignedWith([there, made.secret])
  const here = (await operator('POST', `${subscription}/rotate-secret`)).body.secret
  await eventually(async () => expect((await operator('GET', provider)).body).toMatchObject(shown(here)))
  await untilSignedWith([here, there])

  expect((await operator('DELETE', subscription)).status).toBe(204)
  await eventually(async () => expect((await operator('GET', provider)).status).toBe(404))

  async function untilSignedWith(secrets: string[]) {
    await eventually(async () => {
      const before = (await received(env, path)).length
      await operator('POST', `${subscription}/test`)
      const newest = (await untilReceived(env, path, before + 1)).at(-1)!
      for (const secret of secrets) expect(() => verifyWebhook(newest.headers, newest.body, secret)).not.toThrow()
    })
  }
})
