import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { messageReceived, newId, notificationChanged, type WireEvent } from '@notify/contracts'
import { sealEvent } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { withoutPerson } from './without-person.ts'

const keyRing = parseKeyRing(`one:${randomBytes(32).toString('base64')}`)
const person = { tenantId: newId('ten'), recipient: '+15550100', index: 'their-index', forgetStops: false }

const fact = (fields: object = {}): WireEvent => ({
  event: {
    tenant_id: person.tenantId,
    recipient_index: 'their-index',
    recipient_masked: '+15…00',
    metadata: 'sealed',
    status: 'sent',
    ...fields,
  },
  traceparent: 'trace',
})

const received = (from: string): WireEvent => {
  const payload = {
    provider_id: newId('prov'),
    tenant_id: person.tenantId,
    channel: 'sms' as const,
    provider_message_id: 'SM1',
    received_at: new Date().toISOString(),
  }
  return { event: sealEvent(keyRing, messageReceived, payload, { from, to: '+15005550006', body: 'Hi' }) }
}

test('of several events only those of the person lose the recipient and the metadata', () => {
  const others = fact({ recipient_index: 'other-index' })
  expect(withoutPerson([fact(), others], { person, contract: notificationChanged, keyRing })).toEqual([
    fact({ recipient_index: 'erased', recipient_masked: 'erased', metadata: null }),
    others,
  ])
})

test.each([
  ['of somebody else', fact({ recipient_index: 'other-index' })],
  ['of another tenant', fact({ tenant_id: newId('ten') })],
  ['that are not objects', { event: null }],
])('events %s stay unchanged', (_what, wire) => {
  expect(withoutPerson([wire], { person, contract: notificationChanged, keyRing })).toBeUndefined()
})

test('a sealed event of the person is emptied and keeps its position', () => {
  const other = received('+15550199')
  for (const from of ['+15550100', '15550100']) {
    expect(withoutPerson([other, received(from)], { person, contract: messageReceived, keyRing })).toEqual([
      other,
      { event: null, erased: true },
    ])
  }
})

test('a sealed event that cannot be decrypted stays unchanged', () => {
  const elsewhere = parseKeyRing(`two:${randomBytes(32).toString('base64')}`)
  const search = { person, contract: messageReceived, keyRing: elsewhere }
  expect(withoutPerson([received('+15550100')], search)).toBeUndefined()
})
