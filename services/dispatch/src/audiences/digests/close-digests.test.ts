import { expect, test } from '@jest/globals'
import type { ErrorCode } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { waits } from './close-digests.ts'

test.each<[ErrorCode, boolean, boolean]>([
  ['rate_limited', true, true],
  ['service_unavailable', true, true],
  ['internal_error', true, false],
  ['provider_not_configured', true, false],
  ['template_not_approved', true, false],
  ['template_variable_missing', true, false],
  ['channel_not_allowed', true, false],
  ['validation_failed', false, false],
  ['recipient_suppressed', false, false],
])('a digest refused with %s waits: within HOLD_LIMIT %s, after a longer outage %s', (code, within, after) => {
  const limits = { config: { HOLD_LIMIT: 60_000 } }
  const closedAgo = (ms: number) =>
    waits(limits, { closes_at: new Date(Date.now() - ms) }, new Problem(code, 'a reason'))
  expect([closedAgo(1000), closedAgo(3_600_000)]).toEqual([within, after])
})
