import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  PutEmailIdentityDkimSigningAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2'
import { expect, test } from '@jest/globals'
import { sesAccount, sesClient, startSandbox } from './harness.ts'

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const EmailIdentity = 'customer.test'
const DomainSigningSelector = 's1'

function exported(key: KeyObject, type: 'pkcs1' | 'pkcs8' = 'pkcs1') {
  return key.export({ type, format: 'der' }).toString('base64')
}

const byodkim = { DomainSigningSelector, DomainSigningPrivateKey: exported(keys.privateKey) }
const dkimRecord = {
  type: 'TXT',
  name: 's1._domainkey.customer.test',
  value: `v=DKIM1; k=rsa; p=${keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
}

async function start() {
  const { url } = await startSandbox()
  const setRecords = async (...records: object[]) => {
    expect((await fetch(`${url}/dns`, { method: 'PUT', body: JSON.stringify({ records }) })).status).toBe(200)
  }
  return { url, client: sesClient(url), setRecords }
}

function emailFrom(from: string) {
  return new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: ['ada@example.test'] },
    Content: { Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' } } } },
  })
}

test.each(['pkcs1', 'pkcs8'] as const)(
  'a domain with a key of ours (%s) is verified once DNS has its public half',
  async (type) => {
    const { client, setRecords } = await start()
    const DkimSigningAttributes = { DomainSigningSelector, DomainSigningPrivateKey: exported(keys.privateKey, type) }
    const created = await client.send(new CreateEmailIdentityCommand({ EmailIdentity, DkimSigningAttributes }))
    expect(created).toMatchObject({
      IdentityType: 'DOMAIN',
      VerifiedForSendingStatus: false,
      DkimAttributes: { Status: 'PENDING', SigningEnabled: true, SigningAttributesOrigin: 'EXTERNAL', Tokens: ['s1'] },
    })
    const get = () => client.send(new GetEmailIdentityCommand({ EmailIdentity }))
    expect(await get()).toMatchObject({
      VerificationStatus: 'PENDING',
      VerificationInfo: { ErrorType: 'HOST_NOT_FOUND', LastCheckedTimestamp: expect.any(Date) },
    })
    await setRecords(dkimRecord)
    expect(await get()).toMatchObject({
      VerifiedForSendingStatus: true,
      VerificationStatus: 'SUCCESS',
      DkimAttributes: { Status: 'SUCCESS' },
    })
  },
)

test.each([
  ['TYPE_NOT_FOUND', { ...dkimRecord, type: 'A', value: '192.0.2.1' }],
  ['INVALID_VALUE', { ...dkimRecord, value: 'v=DKIM1; k=rsa; p=' }],
  ['SERVICE_ERROR', { ...dkimRecord, type: 'FAULT', value: 'SERVFAIL' }],
])('an unverified domain gives the reason: %s', async (ErrorType, record) => {
  const { client, setRecords } = await start()
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity, DkimSigningAttributes: byodkim }))
  await setRecords(record)
  expect(await client.send(new GetEmailIdentityCommand({ EmailIdentity }))).toMatchObject({
    VerificationStatus: 'PENDING',
    VerificationInfo: { ErrorType },
  })
})

test('a domain without a key gets three tokens, and is verified once all of their aliases are there', async () => {
  const { client, setRecords } = await start()
  const { DkimAttributes } = await client.send(new CreateEmailIdentityCommand({ EmailIdentity }))
  expect(DkimAttributes).toMatchObject({ SigningAttributesOrigin: 'AWS_SES', Tokens: expect.any(Array) })
  const aliases = (DkimAttributes?.Tokens ?? []).map((token) => ({
    type: 'CNAME',
    name: `${token}._domainkey.${EmailIdentity}`,
    value: `${token}.dkim.amazonses.com`,
  }))
  expect(aliases).toHaveLength(3)
  const status = async () => (await client.send(new GetEmailIdentityCommand({ EmailIdentity }))).VerificationStatus
  await setRecords(...aliases.slice(1))
  expect(await status()).toBe('PENDING')
  await setRecords(...aliases)
  expect(await status()).toBe('SUCCESS')
})

test('mail from a domain that is an identity leaves only while it is verified', async () => {
  const { client, setRecords } = await start()
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity, DkimSigningAttributes: byodkim }))
  const rejected = { name: 'MessageRejected', message: expect.stringContaining('not verified') }
  await expect(client.send(emailFrom('Us <us@mail.Customer.test>'))).rejects.toMatchObject(rejected)
  await setRecords(dkimRecord)
  await client.send(emailFrom('us@customer.test'))
  await setRecords({ ...dkimRecord, value: 'v=DKIM1; p=' })
  await expect(client.send(emailFrom('us@customer.test'))).rejects.toMatchObject(rejected)
})

test('a MAIL FROM domain is set, and is verified once its one MX record points to the region', async () => {
  const { client, setRecords } = await start()
  await setRecords(dkimRecord)
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity, DkimSigningAttributes: byodkim }))
  const MailFromDomain = 'bounce.customer.test'
  await client.send(
    new PutEmailIdentityMailFromAttributesCommand({
      EmailIdentity,
      MailFromDomain,
      BehaviorOnMxFailure: 'REJECT_MESSAGE',
    }),
  )
  const get = async () => (await client.send(new GetEmailIdentityCommand({ EmailIdentity }))).MailFromAttributes
  const BehaviorOnMxFailure = 'REJECT_MESSAGE'
  expect(await get()).toEqual({ MailFromDomain, MailFromDomainStatus: 'PENDING', BehaviorOnMxFailure })
  await expect(client.send(emailFrom('us@customer.test'))).rejects.toMatchObject({
    name: 'MailFromDomainNotVerifiedException',
  })
  await setRecords({ type: 'MX', name: MailFromDomain, value: 'feedback-smtp.us-east-1.amazonses.com', priority: 10 })
  expect(await get()).toEqual({ MailFromDomain, MailFromDomainStatus: 'SUCCESS', BehaviorOnMxFailure })
  await client.send(emailFrom('us@customer.test'))
  await client.send(new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity }))
  expect(await get()).toEqual({ BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' })
})

test('the key of a domain can be replaced', async () => {
  const { client, setRecords } = await start()
  await setRecords(dkimRecord)
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity, DkimSigningAttributes: byodkim }))
  const other = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const SigningAttributes = { DomainSigningSelector: 's2', DomainSigningPrivateKey: exported(other.privateKey) }
  const put = new PutEmailIdentityDkimSigningAttributesCommand({
    EmailIdentity,
    SigningAttributesOrigin: 'EXTERNAL',
    SigningAttributes,
  })
  expect(await client.send(put)).toMatchObject({ DkimStatus: 'PENDING', DkimTokens: ['s2'] })
})

test('identities belong to one user and one region, and are gone once deleted', async () => {
  const { url, client } = await start()
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity: 'Customer.test', DkimSigningAttributes: byodkim }))
  const again = client.send(new CreateEmailIdentityCommand({ EmailIdentity, DkimSigningAttributes: byodkim }))
  await expect(again).rejects.toMatchObject({ name: 'AlreadyExistsException' })
  const elsewhere = sesClient(url, sesAccount, 'eu-west-1')
  const missing = { name: 'NotFoundException', $metadata: { httpStatusCode: 404 } }
  await expect(elsewhere.send(new GetEmailIdentityCommand({ EmailIdentity }))).rejects.toMatchObject(missing)
  await client.send(new DeleteEmailIdentityCommand({ EmailIdentity }))
  for (const command of [GetEmailIdentityCommand, DeleteEmailIdentityCommand]) {
    await expect(client.send(new command({ EmailIdentity }))).rejects.toMatchObject(missing)
  }
})

test('an address is an identity that is verified at once', async () => {
  const { client } = await start()
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity: 'ada+x@customer.test' }))
  expect(await client.send(new GetEmailIdentityCommand({ EmailIdentity: 'ada+x@customer.test' }))).toMatchObject({
    IdentityType: 'EMAIL_ADDRESS',
    VerificationStatus: 'SUCCESS',
  })
})

const ecKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const shortKey = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey
test.each([
  ['a name that is no domain', { EmailIdentity: 'customer' }],
  ['an address that is none', { EmailIdentity: 'a@b@c.test' }],
  [
    'a key without a selector',
    { EmailIdentity, DkimSigningAttributes: { ...byodkim, DomainSigningSelector: undefined } },
  ],
  ['a selector of two labels', { EmailIdentity, DkimSigningAttributes: { ...byodkim, DomainSigningSelector: 'a.b' } }],
  ['a key that is none', { EmailIdentity, DkimSigningAttributes: { ...byodkim, DomainSigningPrivateKey: 'MIIB' } }],
  [
    'a key in PEM',
    {
      EmailIdentity,
      DkimSigningAttributes: { ...byodkim, DomainSigningPrivateKey: '-----BEGIN RSA PRIVATE KEY-----' },
    },
  ],
  [
    'a key of another kind',
    { EmailIdentity, DkimSigningAttributes: { ...byodkim, DomainSigningPrivateKey: exported(ecKey, 'pkcs8') } },
  ],
  [
    'a key of 512 bits',
    { EmailIdentity, DkimSigningAttributes: { ...byodkim, DomainSigningPrivateKey: exported(shortKey) } },
  ],
])('%s is refused with 400 BadRequestException', async (_what, input) => {
  const { client } = await start()
  await expect(client.send(new CreateEmailIdentityCommand(input))).rejects.toMatchObject({
    name: 'BadRequestException',
    $metadata: { httpStatusCode: 400 },
  })
})

test('a MAIL FROM domain outside of the identity is refused', async () => {
  const { client } = await start()
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity, DkimSigningAttributes: byodkim }))
  for (const MailFromDomain of ['customer.test', 'bounce.other.test', 'notcustomer.test', 'bad name.customer.test']) {
    const put = client.send(new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity, MailFromDomain }))
    await expect(put).rejects.toMatchObject({ name: 'BadRequestException' })
  }
})
