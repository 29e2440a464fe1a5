import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { correlationKeyOf, signedQuery } from './correlation.ts'
import { telnyxReceiver } from './receive.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const public_key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')
const kept = telnyxReceiver.keep.parse({ api_key: 'KEY', public_key, from: '+15005550006' })
const account = { id: newId('prov'), tenantId: newId('ten'), sender: null, topicArns: [], ...kept } as never
const body = JSON.stringify({
  data: {
    event_type: 'message.finalized',
    payload: {
      id: 'message-1',
      from: { phone_number: '+15005550006' },
      to: [{ phone_number: '+15551234567', status: 'delivered' }],
    },
  },
})

const ids = { notification_id: newId('notif'), attempt_id: newId('att') }
const other = { notification_id: newId('notif'), attempt_id: newId('att') }
const proven = String(signedQuery(ids, correlationKeyOf('KEY')))
const { mac } = Object.fromEntries(new URLSearchParams(proven)) as { mac: string }

/** The receipt of a webhook that Telnyx has signed, at an address with this query. */
async function receiptAt(query: string) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString('base64')
  const headers = { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature }
  const callback = { body: Buffer.from(body), headers, url: `/telnyx?${query}`, params: {} }
  const { reports } = await telnyxReceiver.endpoints[0]!.open(undefined as never, callback).receive([account])
  return reports[0]
}

test('ids in the address count with their MAC', async () => {
  expect(await receiptAt(proven)).toMatchObject({ ...ids, provider_message_id: 'message-1', status: 'delivered' })
})

test.each<[string, string]>([
  ['other ids', String(new URLSearchParams({ ...other, mac }))],
  ['the id of another attempt', String(new URLSearchParams({ ...ids, attempt_id: other.attempt_id, mac }))],
  ['no MAC', String(new URLSearchParams(ids))],
  ['the MAC of another account', String(signedQuery(ids, correlationKeyOf('KEY-of-another')))],
  ['nothing', ''],
])('of an address with %s only the id that Telnyx has signed counts', async (_what, query) => {
  const receipt = await receiptAt(query)
  expect(receipt).toMatchObject({ provider_message_id: 'message-1', status: 'delivered' })
  expect(receipt).not.toHaveProperty('attempt_id')
  expect(receipt).not.toHaveProperty('notification_id')
})
