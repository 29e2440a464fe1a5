import { expect, test } from '@jest/globals'
import { type Change, type Consent, nextConsent } from './next-consent.ts'

const minute = (count: number) => new Date(Date.UTC(2026, 0, 1, 10, count))
const at = minute(0)

const none: Consent = { status: 'none', marketingStopped: false, marketingChosenAt: null, agreedAt: null }
const active: Consent = { ...none, status: 'active' }
const revoked: Consent = { ...none, status: 'revoked' }
const optIn = (source: 'checkout' | 'import', evidence: 'none' | 'fresh' | 'given before'): Change => ({
  action: 'opt_in',
  source,
  evidence,
  at,
})
const change = (action: Exclude<Change['action'], 'opt_in'>, when = at): Change => ({ action, at: when })

test.each<[Consent, Change, Consent | undefined]>([
  [none, optIn('import', 'none'), active],
  [active, optIn('checkout', 'given before'), active],
  [revoked, optIn('checkout', 'fresh'), { ...active, agreedAt: at }],
  [revoked, optIn('checkout', 'none'), undefined],
  [revoked, optIn('checkout', 'given before'), undefined],
  [revoked, optIn('import', 'fresh'), undefined],
  [none, change('opt_out'), revoked],
  [active, change('opt_out'), revoked],
  [revoked, change('opt_out'), revoked],
  [active, change('marketing_stop'), { ...active, marketingStopped: true, marketingChosenAt: at }],
  [none, change('marketing_stop'), { ...none, marketingStopped: true, marketingChosenAt: at }],
  [{ ...active, marketingStopped: true }, change('marketing_resume'), { ...active, marketingChosenAt: at }],
  [revoked, change('marketing_resume'), { ...revoked, marketingChosenAt: at }],
])('%j after %j is %j', (now, next, expected) => {
  expect(nextConsent(now, next)).toEqual(expected)
})

test('a fresh opt-in does not bring marketing back that the recipient stopped', () => {
  expect(nextConsent({ ...revoked, marketingStopped: true }, optIn('checkout', 'fresh'))).toEqual({
    status: 'active',
    marketingStopped: true,
    marketingChosenAt: null,
    agreedAt: at,
  })
})

test('in whatever order marketing choices are handled, the newest counts', () => {
  const [stop, resume] = [change('marketing_stop', minute(1)), change('marketing_resume', minute(0))]
  for (const order of [
    [stop, resume],
    [resume, stop],
  ]) {
    const last = order.reduce((now, next) => nextConsent(now, next)!, active)
    expect(last).toMatchObject({ marketingStopped: true, marketingChosenAt: minute(1) })
  }
})

test('a STOP that arrives late revokes, unless the recipient agreed afresh minutes after it', () => {
  const agreed = nextConsent(active, optIn('checkout', 'fresh'))!
  expect(nextConsent(agreed, change('opt_out', minute(-2)))).toEqual(agreed)
  expect(nextConsent(agreed, change('opt_out', minute(-1)))).toMatchObject({ status: 'revoked' })
  for (const opt of [optIn('checkout', 'none'), optIn('checkout', 'given before'), optIn('import', 'fresh')]) {
    const repeated = nextConsent(active, opt)!
    expect(nextConsent(repeated, change('opt_out', minute(-2)))).toMatchObject({ status: 'revoked' })
  }
})
