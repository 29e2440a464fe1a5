import { GetEmailIdentityCommand, ListContactListsCommand, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { expect, test } from '@jest/globals'
import { signatureOf } from '../src/ses/signature-of.ts'
import { listMessages, sesAccount, sesClient, startSandbox } from './harness.ts'

const body = JSON.stringify({
  FromEmailAddress: 'a@shop.test',
  Destination: { ToAddresses: ['ada@x.test'] },
  Content: { Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' } } } },
})
const path = '/ses/v2/email/outbound-emails'

/** A request signed by hand, each part of which a test can spoil. */
async function signed(
  url: string,
  { time = new Date(), region = 'us-east-1', service = 'ses', keyId = sesAccount.accessKeyId } = {},
) {
  const stamp = time.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const date = stamp.slice(0, 8)
  const headers: Record<string, string> = { 'x-amz-date': stamp, 'content-type': 'application/json' }
  const signedHeaders = ['content-type', 'host', 'x-amz-date']
  const header = (name: string) => (name === 'host' ? new URL(url).host : headers[name])
  const request = { method: 'POST', target: path, header, body: Buffer.from(body) }
  const signature = await signatureOf(
    request,
    { time: stamp, date, region, service, signedHeaders },
    sesAccount.secretAccessKey,
  )
  const scope = `${keyId}/${date}/${region}/${service}/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`
  return { ...headers, authorization }
}

function post(url: string, headers: Record<string, string>, sent = body, target = path) {
  return fetch(url + target, { method: 'POST', headers, body: sent })
}

async function refusal(answer: Response) {
  const { message } = (await answer.json()) as { message: string }
  return { status: answer.status, type: answer.headers.get('x-amzn-errortype'), message }
}

test('the signature agrees with the published example', async () => {
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    host: 'iam.amazonaws.com',
    'x-amz-date': '20150830T123600Z',
  }
  const request = {
    method: 'GET',
    target: '/?Action=ListUsers&Version=2010-05-08',
    header: (name: string) => headers[name],
    body: Buffer.alloc(0),
  }
  const scope = { time: '20150830T123600Z', date: '20150830', region: 'us-east-1', service: 'iam' }
  expect(
    await signatureOf(
      request,
      { ...scope, signedHeaders: Object.keys(headers) },
      'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    ),
  ).toBe('5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7')
})

test('a request signed by hand is taken', async () => {
  const { url } = await startSandbox()
  expect((await post(url, await signed(url))).status).toBe(200)
})

test.each([
  ['a secret that is not the right one', { ...sesAccount, secretAccessKey: 'wrong' }, 'InvalidSignatureException'],
  ['an unknown key', { ...sesAccount, accessKeyId: 'AKIA0000000000000009' }, 'UnrecognizedClientException'],
])('%s is refused with 403 and leaves no message', async (_what, credentials, name) => {
  const { url } = await startSandbox()
  const sending = sesClient(url, credentials).send(new SendEmailCommand(JSON.parse(body)))
  await expect(sending).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 403 } })
  expect((await listMessages(url)).total).toBe(0)
})

test('a body that was changed after the signing is refused', async () => {
  const { url } = await startSandbox()
  const answer = await post(url, await signed(url), body.replace('ada@', 'eve@'))
  expect(await refusal(answer)).toMatchObject({ status: 403, type: 'InvalidSignatureException' })
})

test('a path, a query or a header that was changed after the signing is refused', async () => {
  const { url } = await startSandbox()
  const headers = await signed(url)
  const changed = [
    await post(url, headers, body, `${path}?x=1`),
    await post(url, headers, body, `${path}/`),
    await post(url, { ...headers, 'content-type': 'text/plain' }),
  ]
  for (const answer of changed) expect(await refusal(answer)).toMatchObject({ type: 'InvalidSignatureException' })
})

test.each([
  ['a clock six minutes late', { time: new Date(Date.now() - 6 * 60_000) }, /expired/],
  ['a clock six minutes early', { time: new Date(Date.now() + 6 * 60_000) }, /not yet current/],
  ['another service', { service: 's3' }, /correct service/],
])('%s is refused although the signature is right', async (_what, parts, message) => {
  const { url } = await startSandbox()
  expect(await refusal(await post(url, await signed(url, parts)))).toMatchObject({
    status: 403,
    type: 'InvalidSignatureException',
    message: expect.stringMatching(message),
  })
})

test.each([
  ['no signature', {}, 'MissingAuthenticationTokenException'],
  ['another scheme', { authorization: 'Bearer x' }, 'IncompleteSignatureException'],
  ['a signature in parts', { authorization: 'AWS4-HMAC-SHA256 Credential=a' }, 'IncompleteSignatureException'],
  [
    'a scope in parts',
    { authorization: 'AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c' },
    'IncompleteSignatureException',
  ],
])('%s is refused with 403', async (_what, headers, type) => {
  const { url } = await startSandbox()
  expect(await refusal(await post(url, headers))).toMatchObject({
    status: 403,
    type,
    message: expect.stringMatching(/./),
  })
})

test('a signature that leaves out the host or the date is refused', async () => {
  const { url } = await startSandbox()
  const headers = await signed(url)
  const authorization = headers.authorization.replace('content-type;host;x-amz-date', 'content-type')
  expect(await refusal(await post(url, { ...headers, authorization }))).toMatchObject({
    type: 'InvalidSignatureException',
  })
})

test('a path with characters that need escaping is signed as the SDK signs it', async () => {
  const { url } = await startSandbox()
  const EmailIdentity = "ada+o'neil (x)@example.test"
  await expect(sesClient(url).send(new GetEmailIdentityCommand({ EmailIdentity }))).rejects.toMatchObject({
    name: 'NotFoundException',
  })
})

test('an unknown operation is refused with an error in the form of SES', async () => {
  const { url } = await startSandbox()
  await expect(sesClient(url).send(new ListContactListsCommand({}))).rejects.toMatchObject({
    name: 'UnknownOperationException',
    $metadata: { httpStatusCode: 404 },
  })
})
