import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { noteAddition, passOnIdentity } from '../src/catalogue/domains/identity-owner-store.ts'
import { postponeIdentity, settleIdentity } from '../src/catalogue/domains/identity-store.ts'
import { db } from './own-schema.ts'

const domain = `mail.${newId('dom')}.example`

/** A domain at an account of a carrier. */
async function identity({ reference = '1', kind = 'postmark', wanted = true, isOurs = false } = {}) {
  const [domain_id, provider_id, tenant_id] = [newId('dom'), newId('prov'), newId('ten')]
  await db.run(
    `insert into providers (id, tenant_id, channel, kind, name, priority, credentials) values ($1, $2, 'email', $3, 'Carrier', 1, '')`,
    [provider_id, tenant_id, kind],
  )
  await db.run(
    `insert into domain_identities (domain_id, provider_id, tenant_id, domain, selector, wanted, reference, is_ours, created_at)
     values ($1, $2, $3, $4, 's', $5, $6, $7, now())`,
    [domain_id, provider_id, tenant_id, domain, wanted, reference, isOurs],
  )
  return { domain_id, provider_id, domain, reference, kind, is_ours: isOurs } as never
}
const isOurs = async ({ provider_id }: { provider_id: string }) =>
  (
    await db.run<{ is_ours: boolean }>('select is_ours from domain_identities where provider_id = $1', [provider_id])
  )[0]!.is_ours

test('a domain is left to another one that has it there, and to nobody else', async () => {
  const removed = await identity({ wanted: false, isOurs: true })
  expect(await passOnIdentity(db.run, removed)).toBe(false)
  const others = [
    await identity({ reference: '2' }),
    await identity({ kind: 'resend' }),
    await identity({ wanted: false }),
  ]
  expect(await passOnIdentity(db.run, removed)).toBe(false)
  const heir = await identity()
  expect(await passOnIdentity(db.run, removed)).toBe(true)
  expect(await isOurs(heir)).toBe(true)
  for (const other of others) expect(await isOurs(other)).toBe(false)
  // What was claimed before it was left to it does not take it away again.
  const registration = { verified: false, records: [], reference: '1', isOurs: false }
  await settleIdentity(db.run, { ...(heir as object), account: {}, accountRevision: 1 } as never, registration, {
    first: 1000,
    longest: 1000,
  })
  expect(await isOurs(heir)).toBe(true)
})

test('an addition is noted until the carrier has refused it, and never of a domain that is known there', async () => {
  const fresh = await identity({ reference: null as never })
  await noteAddition(db.run, fresh, true)
  expect(await isOurs(fresh)).toBe(true)
  await noteAddition(db.run, fresh, false)
  expect(await isOurs(fresh)).toBe(false)
  const known = await identity()
  await noteAddition(db.run, known, true)
  expect(await isOurs(known)).toBe(false)
})

test.each([1022, 32_767])('a carrier that has failed %i times is asked again after four hours', async (failures) => {
  const one = await identity()
  const { provider_id } = one as { provider_id: string }
  await db.run('update domain_identities set failures = $2 where provider_id = $1', [provider_id, failures])
  await postponeIdentity(db.run, one, 'no answer')
  const found = await db.run(
    `select error, round(extract(epoch from next_try_at - now()) / 3600)::int as hours
     from domain_identities where provider_id = $1`,
    [provider_id],
  )
  expect(found).toEqual([{ error: 'no answer', hours: 4 }])
})
