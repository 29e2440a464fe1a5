import { expect, test } from '@jest/globals'
import { type Change, type Consent, nextConsent } from './next-consent.ts'

const none: Consent = { status: 'none', marketingStopped: false }
const active: Consent = { status: 'active', marketingStopped: false }
const revoked: Consent = { status: 'revoked', marketingStopped: false }
const optIn = (source: 'checkout' | 'import', evidence: 'none' | 'fresh' | 'given before'): Change => ({
  action: 'opt_in',
  source,
  evidence,
})

test.each<[Consent, Change, Consent | undefined]>([
  [none, optIn('import', 'none'), active],
  [active, optIn('checkout', 'given before'), active],
  [revoked, optIn('checkout', 'fresh'), active],
  [revoked, optIn('checkout', 'none'), undefined],
  [revoked, optIn('checkout', 'given before'), undefined],
  [revoked, optIn('import', 'fresh'), undefined],
  [none, { action: 'opt_out' }, revoked],
  [active, { action: 'opt_out' }, revoked],
  [revoked, { action: 'opt_out' }, revoked],
  [active, { action: 'marketing_stop' }, { ...active, marketingStopped: true }],
  [none, { action: 'marketing_stop' }, { ...none, marketingStopped: true }],
  [{ ...active, marketingStopped: true }, { action: 'marketing_resume' }, active],
  [revoked, { action: 'marketing_resume' }, revoked],
])('%j after %j is %j', (now, change, expected) => {
  expect(nextConsent(now, change)).toEqual(expected)
})

test('a fresh opt-in does not bring marketing back that the recipient stopped', () => {
  expect(nextConsent({ ...revoked, marketingStopped: true }, optIn('checkout', 'fresh'))).toEqual({
    status: 'active',
    marketingStopped: true,
  })
})
