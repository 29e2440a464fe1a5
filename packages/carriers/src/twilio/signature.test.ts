import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { ReceivingAccount } from '../receiver.ts'
import { findSigners } from './signature.ts'

const url = 'https://api.example.com/api/v1/callbacks/smsprovider/sms?notification_id=notif_1&attempt_id=att_1'
const parameters = { MessageStatus: 'delivered', AccountSid: 'AC1', MessageSid: 'SM1', Body: 'a b & ü' }
const account = (name: string, secret: string) =>
  ({
    id: `prov_${name}` as const,
    tenantId: `ten_${name}` as const,
    sender: null,
    topicArns: [],
    secret,
  }) satisfies ReceivingAccount
const ada = account('ada', 'token-of-ada')
const bob = account('bob', 'token-of-bob')

/** As documented by Twilio: HMAC-SHA1 over the URL and the sorted fields with their values, in base64. */
function sign(authToken: string, signedUrl = url, fields: Record<string, string> = parameters): string {
  const text = Object.keys(fields)
    .sort()
    .reduce((sum, name) => sum + name + fields[name], signedUrl)
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64')
}

const signersOf = (signature: string | string[] | undefined, providers = [ada, bob]) =>
  findSigners(providers, { signature, url, parameters })
const refused = expect.objectContaining({ code: 'invalid_signature' })

test('the account whose token made the signature is found', () => {
  expect(signersOf(sign(ada.secret))).toEqual([ada])
  expect(signersOf(sign(bob.secret))).toEqual([bob])
})

test.each<[string, string | string[] | undefined]>([
  ['no signature', undefined],
  ['an empty one', ''],
  ['two', [sign(ada.secret), sign(bob.secret)]],
  ['one by another token', sign('token-of-eve')],
  ['one over another address', sign(ada.secret, url.replace('notif_1', 'notif_2'))],
  ['one over an address without its query', sign(ada.secret, url.split('?')[0])],
  ['one over another status', sign(ada.secret, url, { ...parameters, MessageStatus: 'failed' })],
  ['one over an additional field', sign(ada.secret, url, { ...parameters, Extra: '1' })],
  ['a truncated one', sign(ada.secret).slice(0, -2)],
])('%s is refused', (_what, signature) => {
  expect(() => signersOf(signature)).toThrow(refused)
})

test('an address with a port is signed with it or without it', () => {
  const withPort = url.replace('.com/', '.com:8443/')
  for (const signedUrl of [withPort, url]) {
    const signature = sign(ada.secret, signedUrl)
    expect(findSigners([ada], { signature, url: withPort, parameters })).toEqual([ada])
  }
  expect(() => findSigners([ada], { signature: sign(ada.secret, withPort), url, parameters })).toThrow(refused)
})

test('an unknown account is refused, whatever the signature', () => {
  expect(() => signersOf(sign(ada.secret), [])).toThrow(refused)
  expect(() => signersOf(sign(''), [])).toThrow(refused)
})

test('all providers that share an account are signers', () => {
  const twin = account('twin', ada.secret)
  expect(signersOf(sign(ada.secret), [bob, ada, twin])).toEqual([ada, twin])
})

test('a repeated field is covered by the signature', () => {
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
  const signature = createHmac('sha1', ada.secret).update(text, 'utf8').digest('base64')
  expect(findSigners([ada], { signature, url, parameters: twice })).toEqual([ada])
})
