import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { type DnsServer, startDnsServer } from '@notify/test-kit/dns-server'
import { newDomain, publish, untilDomain } from './sending-domain.ts'
import { type SesAccount, startSesAccount } from './ses-account.ts'

let dns: DnsServer
let ses: SesAccount
let env: TestEnv
const providerId = newId('prov')

beforeAll(async () => {
  dns = await startDnsServer()
  ses = await startSesAccount()
  const dispatch = { DNS_SERVERS: dns.address, DOMAIN_RECHECK_FIRST: '1h', SES_API_URL: ses.url, CARRIER_TIMEOUT: '1s' }
  env = await TestEnv.start(['gateway', 'dispatch'], {
    apart: ['dispatch-api', 'dispatch-worker'],
    env: { 'dispatch-api': dispatch, 'dispatch-worker': dispatch },
  })
  // An installation that gets its SES account later on.
  await env.admin.query(`delete from dispatch.providers where kind = 'ses'`)
})
afterAll(async () => {
  await env?.stop()
  await Promise.all([ses?.stop(), dns?.stop()])
})
beforeEach(() => {
  ses.refusal = undefined
  ses.silent = false
  ses.calls.length = 0
})

/** Gives the demo tenant an SES account as an installation gets one: by its bootstrap document. */
async function configureSes(secret: string): Promise<void> {
  const file = join(env.stack.dataDir, 'bootstrap.json')
  const document = JSON.parse(readFileSync(file, 'utf8'))
  document.providers = document.providers.filter(({ kind }: { kind: string }) => kind !== 'ses')
  document.providers.push({
    provider_id: providerId,
    tenant_id: env.tenantId,
    application_id: null,
    channel: 'email',
    kind: 'ses',
    name: 'SES',
    priority: 1,
    credentials: {
      region: 'eu-central-1',
      access_key_id: 'AKIAEXAMPLEEXAMPLE00',
      secret_access_key: secret,
      from: 'hello@shop.example',
    },
  })
  writeFileSync(file, JSON.stringify(document))
  await env.restart('dispatch-api')
}

let serial = 0
const freshName = () => `identity${++serial}.example`
/** The DNS server is in this process: when it stood still for long, there was no answer, and the check is repeated. */
const verify = (id: string) =>
  eventually(async () => {
    const { status, body, text } = await env.api('POST', `/api/v1/domains/${id}/verify`)
    expect(status).not.toBe(503)
    expect(text).not.toContain('name servers did not answer in time')
    return body
  })
const keyAt = (domain: string) => ses.identities.get(domain)?.key
const dueNow = (id: string) =>
  env.admin.query('update dispatch.domain_identities set next_try_at = now() where domain_id = $1', [id])

/** Deletes a domain, and waits until the worker has done so at SES. */
async function deleteDomain(id: string): Promise<void> {
  expect((await env.api('DELETE', `/api/v1/domains/${id}`)).status).toBe(204)
  await eventually(async () => {
    const { rows } = await env.admin.query('select from dispatch.domain_identities where domain_id = $1', [id])
    expect(rows).toHaveLength(0)
  })
}

test('a domain that was there before the account is brought to it, with its MAIL FROM records shown from then on', async () => {
  const before = await newDomain(env, freshName())
  expect(before.records.map(({ purpose }) => purpose)).toEqual(['dkim', 'spf'])
  await configureSes('a-secret-of-the-account')
  await env.restart('dispatch-worker')
  await eventually(() => expect(keyAt(before.domain)).toBeDefined())
  const after = await untilDomain(env, before.domain_id, { records: [{}, {}, { type: 'MX' }, { type: 'TXT' }] })
  expect(after.records[2]?.value).toBe('feedback-smtp.eu-central-1.amazonses.com')
})

test('a new domain is created at SES with the very key that is to be published, signed for the region', async () => {
  const { domain, domain_id, records } = await newDomain(env, freshName())
  await eventually(() => expect(ses.identities.get(domain)?.mailFrom).toBeDefined())
  const { key, mailFrom } = ses.identities.get(domain)!
  expect(records[0]?.name).toBe(`${key?.DomainSigningSelector}._domainkey.${domain}`)
  const privateKey = createPrivateKey({
    key: Buffer.from(key!.DomainSigningPrivateKey, 'base64'),
    format: 'der',
    type: 'pkcs1',
  })
  expect(privateKey.asymmetricKeyDetails?.modulusLength).toBe(2048)
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64')
  expect(records[0]?.value).toBe(`v=DKIM1; k=rsa; p=${publicKey}`)
  expect(mailFrom).toEqual({ MailFromDomain: `bounce.${domain}`, BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' })
  expect(ses.headers.authorization).toMatch(/Credential=AKIAEXAMPLEEXAMPLE00\/\d+\/eu-central-1\/ses\//)
  await untilDomain(env, domain_id, {
    records: [expect.not.objectContaining({ error: expect.anything() }), {}, {}, {}],
  })
})

test('a refusal of SES fails no request, is shown on the domain, and is retried until SES accepts it', async () => {
  ses.refusal = { status: 429, type: 'TooManyRequestsException', message: 'Maximum rate exceeded' }
  const added = publish(dns, await newDomain(env, freshName()))
  const told = { error: expect.stringMatching(/TooManyRequestsException: Maximum rate exceeded/) }
  await untilDomain(env, added.domain_id, { records: [told, {}, {}, {}] })
  expect((await verify(added.domain_id)).status).toBe('verified')
  ses.refusal = undefined
  await eventually(() => expect(keyAt(added.domain)).toBeDefined())
  const { records } = await untilDomain(env, added.domain_id, { records: [{ status: 'verified' }, {}, {}, {}] })
  await eventually(async () => {
    expect((await env.api('GET', `/api/v1/domains/${added.domain_id}`)).body.records[0]).not.toHaveProperty('error')
  })
  expect(records[0]?.found).toMatch(/^v=DKIM1/)
})

test('a removed domain is removed there, also when SES was away meanwhile; what is gone there already is fine', async () => {
  const [one, gone] = [await newDomain(env, freshName()), await newDomain(env, freshName())]
  await eventually(() => expect([keyAt(one.domain), keyAt(gone.domain)]).not.toContain(undefined))
  ses.refusal = { status: 500, type: 'InternalServiceErrorException', message: 'oops' }
  ses.identities.delete(gone.domain)
  for (const { domain_id } of [one, gone]) {
    expect((await env.api('DELETE', `/api/v1/domains/${domain_id}`)).status).toBe(204)
  }
  await eventually(() => expect(ses.calls.filter((call) => call.endsWith(one.domain)).length).toBeGreaterThan(0))
  ses.refusal = undefined
  for (const { domain_id } of [one, gone]) await dueNow(domain_id)
  await eventually(async () => {
    const { rows } = await env.admin.query('select from dispatch.domain_identities where domain_id = any($1)', [
      [one.domain_id, gone.domain_id],
    ])
    expect([rows.length, ses.identities.has(one.domain)]).toEqual([0, false])
  })
})

test('an identity that the account has already gets our key only when the domain is proven to be ours, and is never removed', async () => {
  const name = freshName()
  const foreign = { DomainSigningSelector: 'theirs', DomainSigningPrivateKey: 'MIIB' }
  ses.identities.set(name, { key: foreign })
  const unproven = await newDomain(env, name)
  await untilDomain(env, unproven.domain_id, {
    records: [{ error: expect.stringMatching(/another DKIM key/) }, {}, {}, {}],
  })
  expect(keyAt(name)).toEqual(foreign)
  await deleteDomain(unproven.domain_id)
  expect(keyAt(name)).toEqual(foreign)
  const proven = publish(dns, await newDomain(env, name))
  expect((await verify(proven.domain_id)).status).toBe('verified')
  const selector = proven.records[0]?.name.split('.')[0]
  await eventually(() => expect(keyAt(name)?.DomainSigningSelector).toBe(selector))
  await deleteDomain(proven.domain_id)
  expect(keyAt(name)?.DomainSigningSelector).toBe(selector)
})

test('with other credentials every domain is registered with the account again', async () => {
  const { domain, domain_id } = await newDomain(env, freshName())
  await eventually(async () => {
    const { rows } = await env.admin.query(
      'select synced_revision from dispatch.domain_identities where domain_id = $1',
      [domain_id],
    )
    expect(rows[0]?.synced_revision).toBe(1)
  })
  ses.identities.clear()
  await configureSes('another-secret-of-another-account')
  await env.restart('dispatch-worker')
  await eventually(() => expect(keyAt(domain)).toBeDefined())
})

test('a registration that failed for hours is repeated at once with other credentials', async () => {
  ses.refusal = { status: 403, type: 'InvalidClientTokenId', message: 'The security token is invalid' }
  const { domain, domain_id } = await newDomain(env, freshName())
  const failed = 'select from dispatch.domain_identities where domain_id = $1 and failures > 0'
  await eventually(async () => expect((await env.admin.query(failed, [domain_id])).rows).toHaveLength(1))
  // Without its lease, an attempt that is in progress does not change the wait.
  await env.admin.query(
    `update dispatch.domain_identities set failures = 12, next_try_at = now() + interval '4 hours', leased_until = null
     where domain_id = $1`,
    [domain_id],
  )
  ses.refusal = undefined
  await configureSes('a-corrected-secret-of-the-account')
  await eventually(() => expect(keyAt(domain)).toBeDefined())
})

test('an identity that the account of other credentials had before is not removed with its domain', async () => {
  const added = await newDomain(env, freshName())
  const { domain, domain_id } = added
  await eventually(() => expect(keyAt(domain)).toBeDefined())
  ses.identities.set(domain, { key: { DomainSigningSelector: 'theirs', DomainSigningPrivateKey: 'MIIB' } })
  publish(dns, added)
  expect((await verify(domain_id)).status).toBe('verified')
  await eventually(() => expect(keyAt(domain)?.DomainSigningSelector).not.toBe('theirs'))
  await deleteDomain(domain_id)
  expect(ses.identities.has(domain)).toBe(true)
})

test('a worker that is killed while SES is silent leaves nothing undone', async () => {
  ses.silent = true
  const { domain } = await newDomain(env, freshName())
  await eventually(() => expect(ses.calls).toContain(`GET /v2/email/identities/${domain}`))
  await env.kill('dispatch-worker')
  ses.silent = false
  await env.restart('dispatch-worker')
  await eventually(() => expect(ses.identities.get(domain)?.mailFrom).toBeDefined())
})
