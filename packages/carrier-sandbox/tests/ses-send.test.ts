import {
  GetAccountCommand,
  type SESv2Client,
  SendEmailCommand,
  type SendEmailCommandInput,
} from '@aws-sdk/client-sesv2'
import { expect, test } from '@jest/globals'
import { listMessages, sesAccount, sesClient, startSandbox } from './harness.ts'

const otherAccount = { accessKeyId: 'AKIA0000000000000002', secretAccessKey: 'second' }

function emailTo(to: string, changes: Partial<SendEmailCommandInput> = {}): SendEmailCommandInput {
  return {
    FromEmailAddress: 'Demo Shop <hello@shop.test>',
    Destination: { ToAddresses: [to] },
    Content: {
      Simple: {
        Subject: { Data: 'Grüße', Charset: 'UTF-8' },
        Body: { Text: { Data: 'Hi Ada', Charset: 'UTF-8' }, Html: { Data: '<p>Hi Ada</p>', Charset: 'UTF-8' } },
        Headers: [{ Name: 'List-Unsubscribe', Value: '<https://shop.test/u>' }],
      },
    },
    EmailTags: [{ Name: 'notification_id', Value: 'notif_1' }],
    ...changes,
  }
}

function send(client: SESv2Client, input: SendEmailCommandInput) {
  return client.send(new SendEmailCommand(input))
}

test('the SDK sends an email, and the sandbox shows it decoded, without the signature', async () => {
  const { url } = await startSandbox({ CARRIER_DELAY_MS: '60000' })
  const { MessageId } = await send(sesClient(url), emailTo('Ada <ada+news@example.test>'))
  expect(MessageId).toMatch(/^0100[0-9a-f]{12}-[0-9a-f-]{36}-000000$/)
  const { items } = await listMessages(url, '?to=ada%2Bnews@example.test&channel=email')
  expect(items).toEqual([
    {
      id: expect.stringMatching(/^msg_[0-9a-f]+$/),
      channel: 'email',
      account: sesAccount.accessKeyId,
      to: 'ada+news@example.test',
      from: 'Demo Shop <hello@shop.test>',
      subject: 'Grüße',
      text: 'Hi Ada',
      html: '<p>Hi Ada</p>',
      headers: { 'List-Unsubscribe': '<https://shop.test/u>' },
      provider_message_id: MessageId,
      status: 'accepted',
      error_code: null,
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      sent_at: null,
      request: {
        headers: expect.objectContaining({ authorization: '[redacted]' }),
        body: expect.objectContaining({ EmailTags: [{ Name: 'notification_id', Value: 'notif_1' }] }),
      },
    },
  ])
  expect((await listMessages(url, '?to=ada+news@example.test')).total).toBe(1)
})

test('a raw message is taken apart: subject, text, html and the recipients of its headers', async () => {
  const { url } = await startSandbox()
  const raw = [
    'From: =?UTF-8?Q?J=C3=BCrgen?= <hello@shop.test>',
    'To: ada@example.test, Bob <bob@example.test>',
    'Subject: =?UTF-8?B?R3LDvMOfZQ==?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=C3=BC=C3=9Fe',
    '--b',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<b>Hi</b>',
    '--b--',
    '',
  ].join('\r\n')
  await send(sesClient(url), { Content: { Raw: { Data: Buffer.from(raw) } } })
  const { items } = await listMessages(url, '?to=bob@example.test')
  expect(items).toMatchObject([{ subject: 'Grüße', from: 'Jürgen <hello@shop.test>', channel: 'email' }])
  expect(items[0]?.text?.trim()).toBe('Grüße')
  expect(items[0]?.html).toContain('<b>Hi</b>')
  expect((await listMessages(url)).total).toBe(2)
})

test('the recipients of the request come before those of a raw message', async () => {
  const { url } = await startSandbox()
  const Data = Buffer.from('From: a@shop.test\r\nTo: list@example.test\r\nSubject: x\r\n\r\nhi')
  await send(sesClient(url), { Destination: { ToAddresses: ['ada@example.test'] }, Content: { Raw: { Data } } })
  expect((await listMessages(url)).items.map(({ to }) => to)).toEqual(['ada@example.test'])
})

test("a sender's name that came as an encoded word is shown as it reads", async () => {
  const { url } = await startSandbox()
  await send(sesClient(url), emailTo('ada@x.test', { FromEmailAddress: '=?UTF-8?B?SsO8cmdlbg==?= <hello@shop.test>' }))
  expect((await listMessages(url)).items).toMatchObject([{ from: 'Jürgen <hello@shop.test>' }])
})

test('every recipient, copies included, gets a message of the one id', async () => {
  const { url } = await startSandbox()
  const Destination = { ToAddresses: ['a@x.test'], CcAddresses: ['b@x.test'], BccAddresses: ['c@x.test'] }
  const { MessageId } = await send(sesClient(url), emailTo('', { Destination }))
  const { items } = await listMessages(url)
  expect(items.map(({ to }) => to).sort()).toEqual(['a@x.test', 'b@x.test', 'c@x.test'])
  expect(items.every((item) => item.provider_message_id === MessageId)).toBe(true)
})

test('an email of more than 256 KiB is taken', async () => {
  const { url } = await startSandbox()
  const Data = 'x'.repeat(1024 * 1024)
  await send(
    sesClient(url),
    emailTo('ada@x.test', { Content: { Simple: { Subject: { Data: 's' }, Body: { Text: { Data } } } } }),
  )
  expect((await listMessages(url)).items[0]?.text).toHaveLength(1024 * 1024)
})

test('several users send side by side, each with its own credentials', async () => {
  const { url } = await startSandbox({ SES_ACCOUNTS: `${otherAccount.accessKeyId}:${otherAccount.secretAccessKey}` })
  await send(sesClient(url, otherAccount, 'eu-central-1'), emailTo('ada@x.test'))
  expect((await listMessages(url)).items).toMatchObject([{ account: otherAccount.accessKeyId }])
})

test('the account may send, and reports how much it has sent', async () => {
  const { url } = await startSandbox()
  const client = sesClient(url)
  await send(client, emailTo('ada@x.test'))
  expect(await client.send(new GetAccountCommand({}))).toMatchObject({
    SendingEnabled: true,
    ProductionAccessEnabled: true,
    EnforcementStatus: 'HEALTHY',
    SendQuota: { SentLast24Hours: 1 },
  })
})

test('a configuration set that does not exist is refused, the one that does is taken', async () => {
  const { url } = await startSandbox()
  const client = sesClient(url)
  const unknown = send(client, emailTo('ada@x.test', { ConfigurationSetName: 'other' }))
  await expect(unknown).rejects.toMatchObject({ name: 'NotFoundException', $metadata: { httpStatusCode: 404 } })
  await send(client, emailTo('ada@x.test', { ConfigurationSetName: 'email-events' }))
  expect((await listMessages(url)).total).toBe(1)
})

const subject = { Data: 's' }
const body = { Text: { Data: 't' } }
const simple = (changes: object) => ({ Content: { Simple: { Subject: subject, Body: body, ...changes } } })
test.each<[string, Partial<SendEmailCommandInput>]>([
  ['no recipient', { Destination: {} }],
  ['51 recipients', { Destination: { ToAddresses: Array.from({ length: 51 }, (_, i) => `a${i}@x.test`) } }],
  ['a recipient without a domain', { Destination: { ToAddresses: ['ada'] } }],
  ['a recipient with two at signs', { Destination: { ToAddresses: ['ada@b@x.test'] } }],
  ['two recipients in one', { Destination: { ToAddresses: ['a@x.test, b@x.test'] } }],
  ['a recipient in other letters than ASCII', { Destination: { ToAddresses: ['jürgen@x.test'] } }],
  ['a recipient that smuggles a header', { Destination: { ToAddresses: ['a@x.test\r\nBcc: b@x.test'] } }],
  ['a recipient of 400 characters', { Destination: { ToAddresses: [`${'a'.repeat(393)}@x.test`] } }],
  ['no sender', { FromEmailAddress: undefined }],
  ['a sender that smuggles a header', { FromEmailAddress: 'a@x.test\nBcc: b@x.test' }],
  ['a reply address that is none', { ReplyToAddresses: ['nobody'] }],
  ['a subject that smuggles a header', simple({ Subject: { Data: 'Hi\r\nBcc: b@x.test' } })],
  ['neither text nor html', simple({ Body: {} })],
  ['no content', { Content: {} }],
  ['two kinds of content', { Content: { Simple: { Subject: subject, Body: body }, Raw: { Data: Buffer.from('x') } } }],
  ['a header that smuggles another', simple({ Headers: [{ Name: 'X-A', Value: 'a\r\nBcc: b@x.test' }] })],
  ['sixteen headers', simple({ Headers: Array.from({ length: 16 }, (_, i) => ({ Name: `X-${i}`, Value: 'v' })) })],
  ['a tag with other characters', { EmailTags: [{ Name: 'tenant', Value: 'a b' }] }],
  ["a tag of SES's own", { EmailTags: [{ Name: 'ses:source-ip', Value: 'x' }] }],
  ['a tag of 257 characters', { EmailTags: [{ Name: 'a', Value: 'x'.repeat(257) }] }],
  ['51 tags', { EmailTags: Array.from({ length: 51 }, (_, i) => ({ Name: `t${i}`, Value: 'v' })) }],
])('%s is refused with 400 BadRequestException, and nothing is logged', async (_what, changes) => {
  const { url } = await startSandbox()
  await expect(send(sesClient(url), emailTo('ada@x.test', changes))).rejects.toMatchObject({
    name: 'BadRequestException',
    message: expect.stringMatching(/./),
    $metadata: { httpStatusCode: 400 },
  })
  expect((await listMessages(url)).total).toBe(0)
})

test('an unknown template is not found', async () => {
  const { url } = await startSandbox()
  const sending = send(sesClient(url), emailTo('ada@x.test', { Content: { Template: { TemplateName: 'welcome' } } }))
  await expect(sending).rejects.toMatchObject({ name: 'NotFoundException' })
})
