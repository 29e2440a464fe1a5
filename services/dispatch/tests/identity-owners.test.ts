import { expect, test } from '@jest/globals'
import { type Registration, sendingCarriers } from '@notify/carriers/sending'
import { newId } from '@notify/contracts'
import { noteKnown, passOnIdentity } from '../src/catalogue/domains/identity-owner-store.ts'
import {
  claimIdentities,
  type DueIdentity,
  postponeIdentity,
  settleIdentity,
} from '../src/catalogue/domains/identity-store.ts'
import { db } from './own-schema.ts'

const domain = `mail.${newId('dom')}.example`

/** A domain at an account of a carrier. */
async function identity({ reference = '1' as string | null, kind = 'postmark', wanted = true, isOurs = false } = {}) {
  const [domain_id, provider_id, tenant_id] = [newId('dom'), newId('prov'), newId('ten')]
  await db.run(
    `insert into providers (id, tenant_id, channel, kind, name, priority, credentials) values ($1, $2, 'email', $3, 'Carrier', 1, '')`,
    [provider_id, tenant_id, kind],
  )
  await db.run(
    `insert into domain_identities (domain_id, provider_id, tenant_id, domain, selector, wanted, reference, is_ours, created_at,
       next_try_at)
     values ($1, $2, $3, $4, 's', $5, $6, $7, now(), now())`,
    [domain_id, provider_id, tenant_id, domain, wanted, reference, isOurs],
  )
  return claimed()
}
async function claimed(leaseMs = 60_000): Promise<DueIdentity> {
  const [due, ...more] = await claimIdentities(db.run, { most: 10, leaseMs })
  if (!due || more.length > 0) throw new Error('not one identity is due')
  return due
}
const isOurs = async ({ provider_id }: DueIdentity) =>
  (
    await db.run<{ is_ours: boolean }>('select is_ours from domain_identities where provider_id = $1', [provider_id])
  )[0]!.is_ours
const stored = async ({ provider_id }: DueIdentity) =>
  (await db.run<Record<string, unknown>>('select * from domain_identities where provider_id = $1', [provider_id]))[0]
function settle(due: DueIdentity, verified: boolean, found: Partial<Registration> = {}): Promise<void> {
  const { reference, is_ours } = due
  const registration = { verified, records: [], reference: reference ?? 'known', isOurs: is_ours }
  // Nothing that was settled is claimed again in these tests.
  const waits = { first: 3_600_000, longest: 3_600_000 }
  const identity = { ...due, accountRevision: 1, wanted: { known: { reference, isOurs: is_ours } } }
  return settleIdentity(db.run, identity as never, { ...registration, ...found }, waits)
}

test('a domain is left to another one that has it there, and to nobody else', async () => {
  const removed = await identity({ wanted: false, isOurs: true })
  expect(await passOnIdentity(db.run, sendingCarriers, removed)).toBe(false)
  const others = [
    await identity({ reference: '2' }),
    await identity({ kind: 'resend' }),
    await identity({ wanted: false }),
  ]
  expect(await passOnIdentity(db.run, sendingCarriers, removed)).toBe(false)
  const heir = await identity()
  expect(await passOnIdentity(db.run, sendingCarriers, removed)).toBe(true)
  expect(await isOurs(heir)).toBe(true)
  for (const other of others) expect(await isOurs(other)).toBe(false)
  // What was claimed before it was left to it does not take it away again.
  await settle(heir, false)
  expect(await isOurs(heir)).toBe(true)
})

test('a worker whose lease is over changes nothing: neither the state nor the owner that the next one has written', async () => {
  const late = await identity({ reference: null })
  await db.run(`update domain_identities set leased_until = now(), next_try_at = now() where provider_id = $1`, [
    late.provider_id,
  ])
  const next = await claimed()
  await noteKnown(db.run, next, { reference: null, isOurs: true })
  await noteKnown(db.run, late, null)
  await settle(next, true, { isOurs: true })
  const written = await stored(late)
  expect(written).toMatchObject({ status: 'verified', is_ours: true, leased_until: null })
  await settle(late, false)
  await postponeIdentity(db.run, late, 'no answer', 'unmanaged')
  expect(await stored(late)).toEqual(written)
})

test('a domain that is found in another account is not ours, whether or not that of the former account was', async () => {
  for (const isOursThere of [true, false]) {
    const one = await identity({ isOurs: isOursThere })
    await settle(one, false, { reference: '2', isOurs: false })
    expect(await stored(one)).toMatchObject({ reference: '2', is_ours: false })
  }
  const left = await identity()
  await db.run('update domain_identities set is_ours = true where provider_id = $1', [left.provider_id])
  await settle(left, false, { reference: '2' })
  expect(await stored(left)).toMatchObject({ reference: '2', is_ours: false })
})

test('the reference and the owner of a domain are noted around its addition', async () => {
  const one = await identity({ isOurs: true })
  await noteKnown(db.run, one, { reference: null, isOurs: true })
  expect(await stored(one)).toMatchObject({ reference: null, is_ours: true })
  await noteKnown(db.run, one, { reference: '1', isOurs: false })
  expect(await stored(one)).toMatchObject({ reference: '1', is_ours: false })
  await noteKnown(db.run, one, null)
  expect(await stored(one)).toMatchObject({ reference: null, is_ours: false })
})

test.each([1022, 32_767])('a carrier that has failed %i times is asked again after four hours', async (failures) => {
  const one = await identity()
  const { provider_id } = one
  await db.run('update domain_identities set failures = $2 where provider_id = $1', [provider_id, failures])
  await postponeIdentity(db.run, one, 'no answer')
  const found = await db.run(
    `select error, round(extract(epoch from next_try_at - now()) / 3600)::int as hours
     from domain_identities where provider_id = $1`,
    [provider_id],
  )
  expect(found).toEqual([{ error: 'no answer', hours: 4 }])
})
