import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { messageReceived, newId, notificationChanged, topicPreferenceChanged, type WireEvent } from '@notify/contracts'
import { sealEvent } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { withoutPerson } from './without-person.ts'

const keyRing = parseKeyRing(`one:${randomBytes(32).toString('base64')}`)
const otherKey = randomBytes(32).toString('base64')
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

test('of several events only those of the person lose the recipient, the metadata and the words of carriers', () => {
  const others = fact({ recipient_index: 'other-index' })
  const failed = fact({ failure_reason: 'unknown user ada' })
  const erased = { recipient_index: 'erased', recipient_masked: 'erased', metadata: null }
  expect(withoutPerson([fact(), others, failed], { person, contract: notificationChanged, keyRing })).toEqual({
    rest: [fact(erased), others, fact({ ...erased, failure_reason: null })],
    isUnreadable: false,
  })
  const { rest: expired } = withoutPerson([fact({ failure_reason: 'expired' })], {
    person,
    contract: notificationChanged,
    keyRing,
  })
  expect(expired).toMatchObject([{ event: { failure_reason: 'expired' } }])
})

test.each([
  ['of somebody else', fact({ recipient_index: 'other-index' })],
  ['of another tenant', fact({ tenant_id: newId('ten') })],
  ['that are not objects', { event: null }],
])('events %s stay unchanged', (_what, wire) => {
  expect(withoutPerson([wire], { person, contract: notificationChanged, keyRing })).toEqual({
    rest: undefined,
    isUnreadable: false,
  })
})

test('a sealed event of the person is emptied and keeps its position', () => {
  const other = received('+15550199')
  for (const from of ['+15550100', '15550100']) {
    expect(withoutPerson([other, received(from)], { person, contract: messageReceived, keyRing })).toEqual({
      rest: [other, { event: null, erased: true }],
      isUnreadable: false,
    })
  }
})

test('a sealed event that cannot be decrypted stays unchanged and is reported, unless it is of another tenant', () => {
  const elsewhere = parseKeyRing(`two:${otherKey}`)
  const search = { person, contract: messageReceived, keyRing: elsewhere }
  const wire = received('+15550100')
  expect(withoutPerson([wire], search)).toEqual({ rest: undefined, isUnreadable: true })
  const stranger = { ...person, tenantId: newId('ten') }
  expect(withoutPerson([wire], { ...search, person: stranger })).toEqual({ rest: undefined, isUnreadable: false })
})

const chosen = (address: string, ring = keyRing): WireEvent => {
  const payload = {
    change_id: newId('pref'),
    tenant_id: person.tenantId,
    application_id: newId('app'),
    mode: 'live' as const,
    recipient_index: 'their-index',
    topic: 'news',
    channel: 'email' as const,
    state: 'off' as const,
    source: 'page' as const,
    occurred_at: new Date().toISOString(),
  }
  return { event: sealEvent(ring, topicPreferenceChanged, payload, { address }) }
}

test.each([
  ['another spelling of the address', chosen('Ada@Shop.example'), { index: undefined }],
  ['the blind index alone', chosen('ada@elsewhere.example'), {}],
  ['the blind index, and cannot be decrypted', chosen('ada@shop.example', parseKeyRing(`two:${otherKey}`)), {}],
])('a sealed event that names the person by %s is emptied', (_what, wire, fields) => {
  const ada = { ...person, recipient: 'ada@shop.example', ...fields }
  expect(withoutPerson([wire], { person: ada, contract: topicPreferenceChanged, keyRing })).toEqual({
    rest: [{ event: null, erased: true }],
    isUnreadable: false,
  })
})
