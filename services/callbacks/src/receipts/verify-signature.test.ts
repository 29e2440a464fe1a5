import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { verifySignature } from './verify-signature.ts'

const url = 'https://api.example.com/api/v1/callbacks/smsprovider/sms?notification_id=notif_1&attempt_id=att_1'
const parameters = { MessageStatus: 'delivered', AccountSid: 'AC1', MessageSid: 'SM1', Body: 'a b & ü' }
const ada = { id: 'prov_ada', authToken: 'token-of-ada' }
const bob = { id: 'prov_bob', authToken: 'token-of-bob' }

/** As Twilio's documentation says: HMAC-SHA1 over the URL and the sorted fields with their values, in base64. */
function sign(authToken: string, signedUrl = url, fields: Record<string, string> = parameters): string {
  const text = Object.keys(fields)
    .sort()
    .reduce((sum, name) => sum + name + fields[name], signedUrl)
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64')
}

const verify = (signature: string | string[] | undefined, named?: string, providers = [ada, bob]) =>
  verifySignature(providers, { signature, url, parameters }, named)
const refused = expect.objectContaining({ code: 'invalid_signature' })

test('the provider whose token signed is found', () => {
  expect(verify(sign(ada.authToken))).toBe(ada)
  expect(verify(sign(bob.authToken))).toBe(bob)
})

test.each<[string, string | string[] | undefined]>([
  ['no signature', undefined],
  ['an empty one', ''],
  ['two', [sign(ada.authToken), sign(bob.authToken)]],
  ['one by another token', sign('token-of-eve')],
  ['one over another address', sign(ada.authToken, url.replace('notif_1', 'notif_2'))],
  ['one over an address without its query', sign(ada.authToken, url.split('?')[0])],
  ['one over another status', sign(ada.authToken, url, { ...parameters, MessageStatus: 'failed' })],
  ['one over a field more', sign(ada.authToken, url, { ...parameters, Extra: '1' })],
  ['one with its end cut off', sign(ada.authToken).slice(0, -2)],
])('%s is refused', (_what, signature) => {
  expect(() => verify(signature)).toThrow(refused)
})

test('an account that nobody here has is refused, whatever is signed', () => {
  expect(() => verify(sign(ada.authToken), 'prov_ada', [])).toThrow(refused)
  expect(() => verify(sign(''), undefined, [])).toThrow(refused)
})

test('a name in the address proves nothing: only who signed counts', () => {
  expect(verify(sign(ada.authToken), 'prov_bob')).toBe(ada)
  expect(verify(sign(ada.authToken), 'prov_eve')).toBe(ada)
})

test('of two tenants that share an account the one that the address names is meant', () => {
  const shared = [ada, { id: 'prov_twin', authToken: ada.authToken }]
  expect(verify(sign(ada.authToken), 'prov_twin', shared).id).toBe('prov_twin')
  expect(verify(sign(ada.authToken), undefined, shared).id).toBe('prov_ada')
})

test('a field that comes twice is covered as well', () => {
  const twice = { ...parameters, Tag: ['a', 'b'] }
  const text = Object.keys(twice)
    .sort()
    .reduce(
      (sum, name) =>
        sum +
        [twice[name as keyof typeof twice]]
          .flat()
          .map((value) => name + value)
          .join(''),
      url,
    )
  const signature = createHmac('sha1', ada.authToken).update(text, 'utf8').digest('base64')
  expect(verifySignature([ada], { signature, url, parameters: twice }, undefined)).toBe(ada)
})
