import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sendingCarriers } from '@notify/carriers/sending'
import { type Id, newId } from '@notify/contracts'
import { parseKeyRing } from '@notify/privacy'
import { privateKeyAad } from '../src/catalogue/domains/domain-store.ts'
import { claimIdentities, requestIdentityRemoval, stopIdentities } from '../src/catalogue/domains/identity-store.ts'
import { syncIdentity } from '../src/catalogue/domains/sync-identity.ts'
import { sealCredentials } from '../src/catalogue/providers/provider-directory.ts'
import { purgeProvider } from '../src/catalogue/providers/provider-store.ts'
import type { Context } from '../src/context.ts'
import { exportTenant, importTenant } from '../src/upkeep/move-tenant.ts'
import { db, env, kit } from './own-schema.ts'
import { type SesAccount, startSesAccount } from './ses-account.ts'

const keyRing = parseKeyRing(`k:${Buffer.alloc(32, 1).toString('base64')}`)
const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'der' })
  .toString('base64')
let ses: SesAccount
let other: SesAccount
beforeAll(async () => {
  ;[ses, other] = [await startSesAccount(), await startSesAccount()]
})
afterAll(() => Promise.all([ses?.stop(), other?.stop()]))

/** Registers and removes everything that is due, as a worker does. */
async function syncAll(account = ses): Promise<void> {
  const config = {
    CARRIER_TIMEOUT: 5000,
    DOMAIN_RECHECK_FIRST: 60_000,
    DOMAIN_RECHECK: 3_600_000,
    SES_API_URL: account.url,
  }
  const metrics = { identitySynced: () => {} }
  const context = { config, db, log: kit.log, metrics, carrierTable: sendingCarriers, secrets: { keyRing } }
  for (const due of await claimIdentities(db.run, { most: 10, leaseMs: 60_000 }))
    await syncIdentity(context as unknown as Context, due)
}

async function addAccount(tenantId: string, region: string): Promise<Id<'prov'>> {
  const id = newId('prov')
  const credentials = {
    region,
    access_key_id: 'AKIAEXAMPLEEXAMPLE00',
    secret_access_key: 'a-secret-of-the-account',
    from: 'hello@shop.example',
  }
  await db.run(
    `insert into providers (id, tenant_id, channel, kind, name, priority, credentials) values ($1, $2, 'email', 'ses', 'SES', 1, $3)`,
    [id, tenantId, sealCredentials(keyRing, JSON.stringify(credentials), tenantId, id)],
  )
  return id
}

const region = 'eu-central-1'

/** A domain of a tenant with an SES account, registered there. */
async function registered({ domain = `${newId('dom')}.example`, mailFromRegion = region, account = ses } = {}) {
  const [tenantId, domainId] = [newId('ten'), newId('dom')]
  const selector = `s${domainId.slice(-8)}`
  const providerId = await addAccount(tenantId, region)
  await db.run(
    `insert into domains (id, tenant_id, domain, selector, public_key, private_key, mail_from_region, next_check_at)
     values ($1, $2, $3, $4, '', $5, $6, now() + interval '1 hour')`,
    [
      domainId,
      tenantId,
      domain,
      selector,
      keyRing.encrypt(privateKey, privateKeyAad(tenantId, domainId)),
      mailFromRegion,
    ],
  )
  const one = { tenantId, domainId, providerId, domain, selector }
  await plan(one)
  await syncAll(account)
  return one
}
type Registered = Awaited<ReturnType<typeof registered>>

const plan = ({ domainId, providerId, tenantId, domain, selector }: Registered) =>
  db.run(
    `insert into domain_identities (domain_id, provider_id, tenant_id, domain, selector, status, is_ours, created_at, next_try_at)
     values ($1, $2, $3, $4, $5, 'pending', false, now(), now())`,
    [domainId, providerId, tenantId, domain, selector],
  )
const dueNow = ({ domainId }: Registered) =>
  db.run('update domain_identities set next_try_at = now() where domain_id = $1', [domainId])
const stored = async ({ domainId }: Registered) =>
  (await db.run<Record<string, unknown>>('select * from domain_identities where domain_id = $1', [domainId]))[0]
const mailFromOf = async ({ domainId }: Registered) =>
  (await db.run('select mail_from_region, next_check_at <= now() as is_due from domains where id = $1', [domainId]))[0]
async function deleteProvider({ tenantId, providerId }: Registered): Promise<void> {
  await db.run('update providers set deleted_at = now() where id = $1', [providerId])
  await stopIdentities(db.run, tenantId, providerId)
}
async function deleteDomain({ domainId }: Registered): Promise<void> {
  await db.run('delete from domains where id = $1', [domainId])
  await requestIdentityRemoval(db.run, domainId)
}
const purge = ({ tenantId, providerId }: Registered) =>
  purgeProvider(db.run, providerId, sealCredentials(keyRing, '{}', tenantId, providerId))

test('the account of a deleted provider is asked nothing more, whatever makes its domain due, and loses the domain when that is deleted', async () => {
  const one = await registered()
  expect(ses.identities.has(one.domain)).toBe(true)
  await deleteProvider(one)
  ses.calls.length = 0
  await dueNow(one)
  await syncAll()
  expect(ses.calls).toEqual([])
  expect(await stored(one)).toMatchObject({ wanted: true, next_try_at: null, leased_until: null, error: null })
  await deleteDomain(one)
  await syncAll()
  expect(ses.identities.has(one.domain)).toBe(false)
  expect(await stored(one)).toBeUndefined()
})

test('a domain that is deleted while its account is asked nothing more is still removed there', async () => {
  const one = await registered()
  await deleteProvider(one)
  await dueNow(one)
  const [due] = await claimIdentities(db.run, { most: 1, leaseMs: 60_000 })
  await deleteDomain(one)
  await syncIdentity({ db } as Context, due!)
  expect(await stored(one)).toMatchObject({ wanted: false, next_try_at: expect.any(Date) })
})

test('after the purge of a deleted provider its domains are forgotten without a call', async () => {
  const [kept, deleted] = [await registered(), await registered()]
  for (const one of [kept, deleted]) {
    await deleteProvider(one)
    await purge(one)
  }
  ses.calls.length = 0
  await dueNow(kept)
  await deleteDomain(deleted)
  await syncAll()
  expect(ses.calls).toEqual([])
  expect(await stored(kept)).toMatchObject({ next_try_at: null, error: null })
  expect(await stored(deleted)).toBeUndefined()
})

test('an SES account loses a deleted domain with our key, although another tenant has the name in an account of its own', async () => {
  const domain = `${newId('dom')}.example`
  const one = await registered({ domain })
  const theirs = await registered({ domain, account: other })
  expect(await stored(theirs)).toMatchObject({ reference: domain })
  await deleteDomain(one)
  await syncAll()
  expect(ses.calls).toContain(`DELETE /v2/email/identities/${domain}`)
  expect([ses.identities.has(domain), other.identities.has(domain)]).toEqual([false, true])
})

test('the MAIL FROM records name the region of an account of the tenant, which gets the MAIL FROM domain then', async () => {
  const one = await registered({ mailFromRegion: 'us-east-1' })
  await syncAll()
  expect(await mailFromOf(one)).toEqual({ mail_from_region: 'eu-central-1', is_due: true })
  expect(ses.identities.get(one.domain)?.mailFrom).toMatchObject({ MailFromDomain: `bounce.${one.domain}` })
  await syncAll()
  expect(await stored(one)).toMatchObject({ leased_until: null, error: null })
})

test('the MAIL FROM records stay while another account of the tenant is in their region', async () => {
  const one = await registered()
  await db.run('update domains set mail_from_region = $2 where id = $1', [one.domainId, 'us-east-1'])
  await addAccount(one.tenantId, 'us-east-1')
  await dueNow(one)
  await syncAll()
  expect(await mailFromOf(one)).toEqual({ mail_from_region: 'us-east-1', is_due: false })
})

/** Moves the tenant between two cells with one database, whose rows the import replaces. */
function mover({ tenantId }: Registered) {
  const config = {
    DATABASE_URL: env.stack.databaseUrl('dispatch'),
    TRANSPORT_KEY: randomBytes(32).toString('base64'),
    ENCRYPTION_KEYS: keyRing,
  }
  const args = ['--tenant', tenantId]
  return {
    async exported(...more: string[]): Promise<string[]> {
      const lines: string[] = []
      const print = (line: string) => void lines.push(line)
      await exportTenant(config, kit, [...args, ...more], { print, tell: () => {} })
      return lines
    },
    async imported(lines: string[]): Promise<void> {
      async function* feed() {
        yield* lines
      }
      await importTenant(config, kit, args, { lines: feed(), print: () => {} })
    },
  }
}

test('only the cell that a tenant was handed over to keeps its domains at the carriers: neither the old one nor a copy', async () => {
  const one = await registered()
  const { exported, imported } = mover(one)
  const syncs = async () => {
    ses.identities.delete(one.domain)
    ses.calls.length = 0
    await dueNow(one)
    await syncAll()
    return ses.calls.length > 0
  }
  const copy = await exported()
  expect(await syncs()).toBe(true)
  const handedOver = await exported('--to', 'new')
  expect(await syncs()).toBe(false)
  expect(await stored(one)).toMatchObject({ wanted: true, leased_until: null, error: null })
  await imported(handedOver)
  expect(await syncs()).toBe(true)
  const back = await exported('--to', 'old')
  expect(await syncs()).toBe(false)
  await imported(back)
  expect(await syncs()).toBe(true)
  await imported(copy)
  expect(await syncs()).toBe(false)
  await deleteDomain(one)
  expect(await syncs()).toBe(false)
  expect(await stored(one)).toMatchObject({ wanted: false, next_try_at: expect.any(Date) })
})

test('an identity that was planned while its domain was deleted is forgotten after one look', async () => {
  const one = await registered()
  await deleteDomain(one)
  await syncAll()
  await plan(one)
  await syncAll()
  expect(await stored(one)).toBeUndefined()
})
