import { expect, test } from '@jest/globals'
import { claimAt } from './claim-at.ts'

const roles = ['audit:read']

test.each([
  ['permissions', { permissions: roles }, roles],
  ['realm_access.roles', { realm_access: { roles } }, roles],
  ['https://notify.example/tenant', { 'https://notify.example/tenant': 'ten_1' }, 'ten_1'],
  ['a.b', { 'a.b': 'whole', a: { b: 'part' } }, 'whole'],
  ['realm_access.roles', { realm_access: null }, undefined],
  ['realm_access.roles', { realm_access: 'text' }, undefined],
  ['constructor', {}, undefined],
  ['a.__proto__.constructor', { a: {} }, undefined],
])('%s of %j is %j', (name, claims, expected) => {
  expect(claimAt(claims, name)).toEqual(expected)
})
