import { expect, test } from '@jest/globals'
import type { MessageReport } from '@notify/carriers/receiving'
import { newId } from '@notify/contracts'
import { parseKeyRing } from '@notify/privacy'
import type { Span } from '@notify/service-kit'
import { callbackOfReport } from './callback-of-report.ts'

const keyRing = parseKeyRing(`k:${Buffer.alloc(32, 1).toString('base64')}`)
const report: MessageReport = {
  type: 'message',
  account: { id: newId('prov'), tenantId: newId('ten'), secret: null, sender: null, topicArns: [] },
  provider_message_id: 'm1',
  content: { from: '+15551230001', to: '+15005550006', body: 'STOP' },
}

function published(occurredAt?: Date): Record<string, unknown> {
  const one = { ...report, ...(occurredAt && { occurredAt }) }
  const { wire } = callbackOfReport(keyRing, { channel: 'sms', report: one }, { set() {} } as unknown as Span)
  return wire.event as Record<string, unknown>
}

test('an event has the time of the carrier, also when the clock of this process is behind it', () => {
  expect(published()).not.toHaveProperty('occurred_at')
  for (const minutes of [-10, 10]) {
    const occurredAt = new Date(Date.now() + minutes * 60_000)
    expect(published(occurredAt)).toMatchObject({ occurred_at: occurredAt.toISOString() })
  }
})
