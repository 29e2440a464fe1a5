import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Person, Queries } from '@notify/database'
import { createBlindIndex, parseKeyRing } from '@notify/privacy'
import { useOwnSchema } from '@notify/test-kit/database'
import type { Context } from '../src/context.ts'
import { migrations } from '../src/db/migrations.ts'
import { erasuresOf } from '../src/erasure/erase-recipient.ts'
import { findConsent } from '../src/ledger/ledger-store.ts'
import { recordChange, type Wanted } from '../src/ledger/record-change.ts'
import { sealPhone } from '../src/users/user-phone.ts'

let db: Queries
useOwnSchema('consent', { migrations }, (own) => {
  db = own.db
})

const keyRing = parseKeyRing(`one:${randomBytes(32).toString('base64')}`)
const blindIndex = createBlindIndex(randomBytes(32))
const erasures = () => erasuresOf({ ENCRYPTION_KEYS: keyRing })
const phone = '+15551230001'
const [evidence, other] = ['https://shop.example/opt-ins/1', 'https://shop.example/opt-ins/2']

/** A number of a tenant of its own. */
function newNumber() {
  const tenantId = newId('ten')
  const context = { db, secrets: { keyRing, blindIndex } } as unknown as Context
  const recipientIndex = blindIndex(tenantId, phone)
  const person: Person = { tenantId, recipient: phone, index: recipientIndex, forgetStops: false }
  const change = async (what: Wanted['what'], evidence_url: string | null = null) => {
    const details = { phone, reference: null, evidence_url }
    const wanted = { tenantId, mode: 'live', details, origin: null, at: null, what } as const
    return (await db.transaction((run) => recordChange(context, run, wanted))).kind
  }
  return {
    person,
    change,
    optIn: (evidence_url: string) => change({ action: 'opt_in', source: 'web_form' }, evidence_url),
    optOut: () => change({ action: 'opt_out', source: 'reply' }),
    consent: () => findConsent(db.run, { tenantId, mode: 'live', recipientIndex }),
  }
}

/** Each kind of rows in turn, as the command does. @returns how many are left */
async function erase(person: Person, kinds = erasures()): Promise<number> {
  let left = 0
  for (const one of kinds) {
    while ((await one.erase(db, person)) > 0);
    left += await one.count(db, person)
  }
  return left
}

test.each(['opt_out', 'marketing_stop'] as const)(
  'after an erasure that keeps a stop (%s), evidence from before it does not revive a revoked consent',
  async (action) => {
    const { person, change, optIn, optOut, consent } = newNumber()
    await optIn(evidence)
    await change({ action, source: 'reply' })
    expect(await erase(person)).toBe(0)
    await optOut()
    expect(await optIn(evidence)).toBe('refused')
    expect(await optIn(other)).toBe('recorded')
    expect(await consent()).toMatchObject({ status: 'active' })
  },
)

test('after an erasure that keeps a marketing stop, the opt-in is gone', async () => {
  const { person, change, optIn, consent } = newNumber()
  await optIn(evidence)
  await change({ action: 'marketing_stop', source: 'reply' })
  expect(await erase(person)).toBe(0)
  expect(await consent()).toMatchObject({ status: 'none', marketing_stopped: true })
})

test.each([
  ['no stop is left', false],
  ['stops are forgotten', true],
])('the erasure keeps no evidence if %s', async (_, forgetStops) => {
  const { person, optIn, optOut } = newNumber()
  await optIn(evidence)
  await optOut()
  await erase(person)
  if (!forgetStops) await optIn(other)
  expect(await erase({ ...person, forgetStops })).toBe(0)
  expect(await db.run('select from erased_evidence where tenant_id = $1', [person.tenantId])).toEqual([])
  expect(await optIn(evidence)).toBe('recorded')
})

test.each(erasures().map(({ name }, at) => [name, at] as const))(
  'a number can be changed after an erasure that ended before or after its %s, and repeating the erasure completes it',
  async (_, at) => {
    for (const kinds of [erasures().slice(0, at), erasures().slice(0, at + 1)]) {
      const { person, optIn, optOut, consent } = newNumber()
      await optIn(evidence)
      await optIn(other)
      await erase(person, kinds)
      expect(await optOut()).toBe('recorded')
      expect(await optIn(`${evidence}?again`)).toBe('recorded')
      expect(await erase(person)).toBe(0)
      expect(await consent()).toBeUndefined()
    }
  },
)

test('a change that is committed while the consent is being erased leaves the consent to the next run', async () => {
  const { person, optIn, consent } = newNumber()
  await optIn(evidence)
  const [entries, ...rest] = erasures()
  await erase(person, [entries!])
  await optIn(other)
  expect(await erase(person, rest)).toBe(1)
  expect(await consent()).toMatchObject({ sequence: 2 })
  expect(await erase(person)).toBe(0)
})

test('a user whose number cannot be decrypted does not hinder the erasure of others, and is counted', async () => {
  const { person } = newNumber()
  const { tenantId } = person
  const sealed = sealPhone(keyRing, { tenantId, userIndex: 'theirs' }, phone)
  for (const [userIndex, value] of [
    ['damaged', Buffer.from('damaged')],
    ['theirs', sealed],
    ['waiting', null],
  ] as const)
    await db.run('insert into users (tenant_id, user_index, phone) values ($1, $2, $3)', [tenantId, userIndex, value])
  const users = erasures().at(-1)!
  expect(await users.erase(db, person)).toBe(1)
  expect(users.unreadable?.()).toBe(1)
  const left = await db.run('select user_index from users where tenant_id = $1 order by 1', [tenantId])
  expect(left).toEqual([{ user_index: 'damaged' }, { user_index: 'waiting' }])
})

test.each([
  ['stays, and so does its user', false],
  ['is erased with its user', true],
])('a STOP that waits for its number %s (stops are forgotten: %s)', async (_, forgetStops) => {
  const { person } = newNumber()
  const { tenantId } = person
  const insert = 'insert into users (tenant_id, user_index) values ($1, $2)'
  const waits = `insert into waiting_changes (tenant_id, user_index, origin, action, source, occurred_at)
    values ($1, $2, $3, $4, 'reply', now())`
  for (const [userIndex, action] of [
    ['stops', 'opt_out'],
    ['resumes', 'marketing_resume'],
  ] as const) {
    await db.run(insert, [tenantId, userIndex])
    await db.run(waits, [tenantId, userIndex, `message of ${userIndex}`, action])
    await erase({ ...person, recipient: userIndex, index: userIndex, forgetStops }, [erasures().at(-1)!])
  }
  const users = await db.run('select user_index from users where tenant_id = $1', [tenantId])
  const changes = await db.run('select user_index from waiting_changes where tenant_id = $1', [tenantId])
  const left = forgetStops ? [] : [{ user_index: 'stops' }]
  expect([users, changes]).toEqual([left, left])
})
