import { expect, test } from '@jest/globals'
import { createOptIn, type Id, newId, type Principal } from '@notify/contracts'
import { Reply } from '@notify/service-kit'
import { storedResponses } from '../../src/erasure/stored-responses.ts'
import { idempotencyScope } from '../../src/idempotency/idempotency-scope.ts'
import { once, one, request } from './stack.ts'

const callersOf = (tenant_id: Id<'ten'>): Principal[] => {
  const key = { kind: 'key' as const, key_id: newId('key'), tenant_id, application_id: newId('app'), permissions: [] }
  return [
    { ...key, mode: 'live' },
    { ...key, mode: 'test' },
    { kind: 'operator', subject: 'ada', tenant_id, permissions: [] },
  ]
}

test('the erasure of a person changes the responses to all callers of the tenant, and none of another one that has the same user id', async () => {
  const [tenantId, other] = [newId('ten'), newId('ten')]
  const [theirs, others] = [tenantId, other].map((tenant) => {
    const keyed = callersOf(tenant).map((caller) => ({ ...request, scope: idempotencyScope(caller, createOptIn) }))
    return () =>
      Promise.all(keyed.map(async (each) => (await once(one.db, each, async () => new Reply(201, named))).text))
  })
  const named = JSON.stringify({ id: 'optin_1', user_id: 'user-7', reference: 'Ada' })
  await Promise.all([theirs!(), others!()])
  const erasure = storedResponses(undefined)
  expect(await erasure.erase(one.db, { tenantId, recipient: 'user-7', index: undefined, forgetStops: false })).toBe(3)
  const erased = JSON.stringify({ id: 'optin_1', user_id: 'erased', reference: 'erased' })
  expect([await theirs!(), await others!()]).toEqual([Array(3).fill(erased), Array(3).fill(named)])
})
