import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createTestKit } from '@notify/test-kit/kit'
import { createSigner, type Fields, type StandInSns, startSns } from '@notify/test-kit/ses'
import { createCertificates } from './certificates.ts'
import { readEnvelope } from './sns-envelope.ts'
import { verifyEnvelope } from './verify-envelope.ts'

let sns: StandInSns
beforeAll(async () => {
  sns = await startSns()
})
afterAll(() => sns?.stop())
afterEach(() => sns.reset())

const { log } = createTestKit('callbacks')
const receiver = () => {
  const certificates = createCertificates(log)
  return (message: Fields) =>
    verifyEnvelope(readEnvelope(Buffer.from(JSON.stringify(message))), certificates, [sns.origin])
}
const refused = { code: 'invalid_signature' }
const unavailable = { code: 'service_unavailable' }

test.each<[string, Fields]>([
  ['a notification', {}],
  ['one with a subject', { Subject: 'Amazon SES Email Event Notification' }],
  ['one with an empty subject', { Subject: '' }],
  ['one of several lines and scripts', { Message: 'a\nMessageId\nb\r\n“é” 🎉', Subject: 'ü' }],
  ['a request to confirm', { Type: 'SubscriptionConfirmation' }],
  ['the end of a subscription', { Type: 'UnsubscribeConfirmation' }],
])('%s that SNS signed is accepted, with either version of the signature', async (_what, fields) => {
  for (const SignatureVersion of ['1', '2']) {
    await expect(receiver()(sns.message({ ...fields, SignatureVersion }))).resolves.toBeUndefined()
  }
})

test.each<[string, Fields]>([
  ['another message', { Message: 'Hullo' }],
  ['another topic', { TopicArn: 'arn:aws:sns:eu-west-1:123456789012:other' }],
  ['another time', { Timestamp: '2026-01-01T00:00:00.000Z' }],
  ['another id', { MessageId: crypto.randomUUID() }],
  ['a subject that was not signed', { Subject: 'x' }],
  ['no signature', { Signature: undefined }],
  ['an empty signature', { Signature: '' }],
  ['a signature that is not base64', { Signature: '!!!' }],
  ['another version than that of the signature', { SignatureVersion: '1' }],
  ['an unknown version', { SignatureVersion: '3' }],
  ['no version', { SignatureVersion: undefined }],
  ['a version that every object inherits', { SignatureVersion: '__proto__' }],
  ['another type', { Type: 'UnsubscribeConfirmation', SubscribeURL: 'x', Token: 'x' }],
])('%s is refused', async (_what, after) => {
  await expect(receiver()(sns.message({}, after))).rejects.toMatchObject(refused)
})

test.each([
  undefined,
  'https://evil.example/cert.pem',
  'http://sns.eu-west-1.amazonaws.com/cert.pem',
  'https://sns.s3-eu-west-1.amazonaws.com/cert.pem',
  'file:///etc/ssl/cert.pem',
])('a certificate at %s is never fetched', async (SigningCertURL) => {
  await expect(receiver()(sns.message({}, { SigningCertURL }))).rejects.toMatchObject(refused)
  expect(sns.asked).toEqual([])
})

test('a file of SNS that is not a certificate by its name is never fetched', async () => {
  await expect(receiver()(sns.message({}, { SigningCertURL: `${sns.origin}/cert.txt` }))).rejects.toMatchObject(refused)
  expect(sns.asked).toEqual([])
})

test('a signature with another key is refused, even with a certificate address of SNS', async () => {
  const other = await createSigner()
  const message = sns.message()
  await expect(receiver()({ ...message, Signature: other.sign(message) })).rejects.toMatchObject(refused)
})

test.each([
  ['no longer valid', { fromMs: -2000, toMs: -1000 }],
  ['not yet valid', { fromMs: 60_000, toMs: 120_000 }],
])('a certificate that is %s is refused and not cached', async (_what, times) => {
  const verify = receiver()
  const { certificate } = await createSigner(times)
  sns.answer = (response) => response.end(certificate)
  await expect(verify(sns.message())).rejects.toMatchObject(refused)
  sns.reset()
  await expect(verify(sns.message())).resolves.toBeUndefined()
})

test('the certificate is fetched once, however many messages arrive at the same moment', async () => {
  const verify = receiver()
  await Promise.all(Array.from({ length: 20 }, () => verify(sns.message())))
  await verify(sns.message())
  expect(sns.asked).toHaveLength(1)
})

test.each<[string, StandInSns['answer']]>([
  ['503', (response) => response.writeHead(503).end('<html>busy</html>')],
  ['404', (response) => response.writeHead(404).end()],
  ['a page instead', (response) => response.end('<html>maintenance</html>')],
  ['nothing', (response) => response.end('')],
  ['a certificate that is too large', (response) => response.end('x'.repeat(100_000))],
  ['a redirect', (response) => response.writeHead(302, { location: '/other.pem' }).end()],
  ['a cut connection', (response) => response.destroy()],
])('%s is reported as unavailable, so that SNS retries, and is not cached', async (_what, answer) => {
  const verify = receiver()
  sns.answer = answer
  await expect(verify(sns.message())).rejects.toMatchObject(unavailable)
  sns.reset()
  await expect(verify(sns.message())).resolves.toBeUndefined()
})

test('a redirect is not followed', async () => {
  sns.answer = (response) => response.writeHead(301, { location: '/other.pem' }).end()
  await expect(receiver()(sns.message())).rejects.toMatchObject(unavailable)
  expect(sns.asked).toHaveLength(1)
})

test('a certificate with a key that is not RSA is refused', async () => {
  const { certificate } = await createSigner({ keyType: 'ec' })
  sns.answer = (response) => response.end(certificate)
  await expect(receiver()(sns.message())).rejects.toMatchObject(unavailable)
})

test('a proxy in the environment is not used', async () => {
  process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.1:9'
  try {
    await expect(receiver()(sns.message())).resolves.toBeUndefined()
  } finally {
    delete process.env.HTTP_PROXY
    delete process.env.http_proxy
  }
})
