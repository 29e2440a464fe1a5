import { expect, test } from '@jest/globals'
import type { ListedProvider } from '../../catalogue/providers/provider-directory.ts'
import { type Choice, chooseProvider, type Standing } from './choose-provider.ts'

const named = (id: string): ListedProvider => ({
  id,
  kind: 'twilio',
  tenantId: 'ten_1',
  revision: 1,
  credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'f'.repeat(32), from: '+15005550006' },
  rateLimitPerSecond: null,
  priority: 1,
})
const [first, second, third] = ['first', 'second', 'third'].map(named) as [
  ListedProvider,
  ListedProvider,
  ListedProvider,
]
const ready: Standing = { circuitOpenMs: 0, busy: false }
const busy: Standing = { circuitOpenMs: 0, busy: true }
const held = (circuitOpenMs: number): Standing => ({ circuitOpenMs, busy: false })

function choose(standings: Standing[], tried: (string | null)[] = []) {
  const providers = [first, second, third].slice(0, standings.length)
  const choice: Choice = chooseProvider(
    providers,
    new Set(tried),
    (provider) => standings[providers.indexOf(provider)] ?? ready,
  )
  return 'provider' in choice ? [choice.provider.id, choice.otherProvider] : choice
}

test('the highest priority is taken, and the others are left', () => {
  expect(choose([ready, ready])).toEqual(['first', true])
  expect(choose([ready])).toEqual(['first', false])
})

test('one that was tried is not taken again before all were', () => {
  expect(choose([ready, ready, ready], ['first'])).toEqual(['second', true])
  expect(choose([ready, ready, ready], ['first', 'second'])).toEqual(['third', false])
  expect(choose([ready, ready], ['second'])).toEqual(['first', false])
})

test('a provider with an open circuit breaker is skipped, also at a failover', () => {
  expect(choose([held(5000), ready])).toEqual(['second', false])
  expect(choose([ready, held(5000)])).toEqual(['first', false])
  expect(choose([held(1), ready, ready])).toEqual(['second', true])
})

test('one that asked for a pause comes after those that did not, and is called when there is no other', () => {
  expect(choose([busy, ready])).toEqual(['second', false])
  expect(choose([busy, held(5000)])).toEqual(['first', false])
  expect(choose([busy, busy])).toEqual(['first', false])
})

test('when all circuit breakers are open nothing is called until the first one closes', () => {
  expect(choose([held(4000), held(2000)])).toEqual({ circuitOpenMs: 2000 })
  expect(choose([ready, held(3000)], ['first'])).toEqual({ circuitOpenMs: 3000 })
})

test('when no untried provider is left it restarts with the first, and ends there', () => {
  expect(choose([ready, ready], ['first', 'second', null])).toEqual(['first', false])
})
