import { readFile } from 'node:fs/promises'
import { SendEmailCommand } from '@aws-sdk/client-sesv2'
import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { emailBehaviours } from '../src/behaviours.ts'
import { listMessages, sesClient, startSandbox } from './harness.ts'
import { isGenuine, startSubscriber } from './subscriber.ts'

function emailTo(to: string, subject = 'Hello', tags: Record<string, string> = {}) {
  return new SendEmailCommand({
    FromEmailAddress: 'Demo Shop <hello@shop.test>',
    Destination: { ToAddresses: [to] },
    Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: 'Hi' } } } },
    EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
  })
}

async function start(env: Record<string, string> = {}) {
  const subscriber = await startSubscriber()
  const { url } = await startSandbox({ SES_EVENTS_URL: `${subscriber.url}/events`, ...env })
  return { url, subscriber, client: sesClient(url) }
}

test.each([
  ['ada', ['Send', 'Delivery'], 'delivered'],
  ['bounce', ['Send', 'Bounce'], 'bounced'],
  ['Bounce+order-7', ['Send', 'Bounce'], 'bounced'],
  ['softbounce', ['Send', 'Bounce'], 'bounced'],
  ['complaint', ['Send', 'Delivery', 'Complaint'], 'complained'],
  ['delay', ['Send', 'DeliveryDelay', 'Delivery'], 'delivered'],
  ['virus', ['Reject'], 'rejected'],
  ['duplicate', ['Delivery', 'Send', 'Delivery', 'Send'], 'delivered'],
])('%s@ gets its events in order', async (localPart, types, status) => {
  const { url, subscriber, client } = await start()
  const to = `${localPart}@example.test`
  await client.send(emailTo(to))
  await eventually(() => expect(subscriber.events().map(({ eventType }) => eventType)).toEqual(types))
  expect((await listMessages(url)).items).toMatchObject([{ to, status }])
})

test('silent@ is accepted and no event follows', async () => {
  const { subscriber, client } = await start()
  const { MessageId } = await client.send(emailTo('silent@example.test'))
  // Its events would have come before those of a message sent later.
  await client.send(emailTo('ada@example.test'))
  await eventually(() => expect(subscriber.events()).toHaveLength(2))
  expect(subscriber.events().map(({ mail }) => mail.messageId)).not.toContain(MessageId)
})

test.each([
  ['reject', 400, 'MessageRejected'],
  ['fail', 503, 'ServiceUnavailable'],
])('%s@ is refused every time and leaves no message', async (localPart, status, name) => {
  const { url } = await startSandbox()
  for (let i = 0; i < 3; i++) {
    const sending = sesClient(url).send(emailTo(`${localPart}@example.test`))
    await expect(sending).rejects.toMatchObject({ name, $metadata: { httpStatusCode: status } })
  }
  expect((await listMessages(url)).total).toBe(0)
})

test('throttle@ is refused twice for each address and content, then goes through and starts again', async () => {
  const { url } = await startSandbox()
  const send = async (to: string, subject: string) => {
    try {
      await sesClient(url).send(emailTo(to, subject))
      return 'sent'
    } catch (error) {
      return (error as Error).name
    }
  }
  const refused = 'TooManyRequestsException'
  const to = 'throttle@example.test'
  expect([await send(to, 'a'), await send(to, 'a')]).toEqual([refused, refused])
  expect([await send(to, 'b'), await send('throttle+x@example.test', 'a')]).toEqual([refused, refused])
  expect([await send(to, 'a'), await send(to, 'a')]).toEqual(['sent', refused])
  expect((await listMessages(url)).total).toBe(1)
})

test('timeout@ is delivered although its request is never answered', async () => {
  const { url, subscriber, client } = await start()
  const leave = new AbortController()
  const sending = client.send(emailTo('timeout@example.test'), { abortSignal: leave.signal })
  const outcome = sending.then(
    () => 'answered',
    (error: Error) => error.name,
  )
  await eventually(() => expect(subscriber.events().map(({ eventType }) => eventType)).toEqual(['Send', 'Delivery']))
  leave.abort()
  expect(await outcome).toBe('AbortError')
  expect((await listMessages(url)).items).toMatchObject([{ status: 'delivered' }])
})

test('an event has the fields of the published examples', async () => {
  const { subscriber, client } = await start()
  const tags = { notification_id: 'notif_1', attempt_id: 'att_1' }
  const { MessageId } = await client.send(emailTo('bounce@example.test', 'Hello', tags))
  await eventually(() => expect(subscriber.events()).toHaveLength(2))
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const mail = {
    timestamp: time,
    source: 'Demo Shop <hello@shop.test>',
    sourceArn: 'arn:aws:ses:us-east-1:123456789012:identity/shop.test',
    sendingAccountId: '123456789012',
    messageId: MessageId,
    destination: ['bounce@example.test'],
    headersTruncated: false,
    headers: expect.arrayContaining([{ name: 'Subject', value: 'Hello' }]),
    commonHeaders: {
      from: ['Demo Shop <hello@shop.test>'],
      to: ['bounce@example.test'],
      messageId: MessageId,
      subject: 'Hello',
    },
    tags: {
      'ses:configuration-set': ['email-events'],
      'ses:source-ip': ['127.0.0.1'],
      'ses:from-domain': ['shop.test'],
      'ses:caller-identity': [expect.any(String)],
      notification_id: ['notif_1'],
      attempt_id: ['att_1'],
    },
  }
  const [sent, bounce] = subscriber.events()
  expect(sent).toEqual({ eventType: 'Send', mail, send: {} })
  expect(bounce).toEqual({
    eventType: 'Bounce',
    mail,
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients: [
        {
          emailAddress: 'bounce@example.test',
          action: 'failed',
          status: '5.1.1',
          diagnosticCode: expect.stringContaining('smtp; 550 5.1.1'),
        },
      ],
      timestamp: time,
      feedbackId: expect.any(String),
      reportingMTA: expect.any(String),
    },
  })
})

test('delivery, complaint, delay and transient bounce have the fields that SES sends', async () => {
  const { subscriber, client } = await start()
  for (const localPart of ['complaint', 'delay', 'softbounce', 'virus'])
    await client.send(emailTo(`${localPart}@x.test`))
  await eventually(() => expect(subscriber.events()).toHaveLength(9))
  const find = (type: string) => subscriber.events().find(({ eventType }) => eventType === type)
  expect(find('Delivery')).toMatchObject({
    delivery: {
      recipients: [expect.any(String)],
      smtpResponse: expect.stringMatching(/^250 /),
      processingTimeMillis: expect.any(Number),
    },
  })
  expect(find('Complaint')).toMatchObject({
    complaint: { complainedRecipients: [{ emailAddress: 'complaint@x.test' }], complaintFeedbackType: 'abuse' },
  })
  expect(find('DeliveryDelay')).toMatchObject({
    deliveryDelay: { delayType: 'MailboxFull', delayedRecipients: [{ emailAddress: 'delay@x.test', status: '4.2.2' }] },
  })
  expect(find('Bounce')).toMatchObject({ bounce: { bounceType: 'Transient', bounceSubType: 'MailboxFull' } })
  expect(find('Reject')).toMatchObject({ reject: { reason: 'Bad content' } })
})

test('a subscriber gets nothing before it has confirmed, and every message afterwards', async () => {
  const subscriber = await startSubscriber({ confirms: false })
  const { url } = await startSandbox({ SES_EVENTS_URL: subscriber.url })
  await sesClient(url).send(emailTo('ada@example.test'))
  await eventually(() => expect(subscriber.bodies('SubscriptionConfirmation').length).toBeGreaterThan(0))
  expect(subscriber.bodies('Notification')).toEqual([])
  const answer = await subscriber.confirm()
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('<SubscriptionArn>arn:aws:sns:')])
  await eventually(() => expect(subscriber.events().map(({ eventType }) => eventType)).toEqual(['Send', 'Delivery']))
})

test('the request for confirmation is repeated until the subscriber opens its link', async () => {
  const subscriber = await startSubscriber({ confirms: false })
  const { url } = await startSandbox({ SES_EVENTS_URL: subscriber.url })
  await sesClient(url).send(emailTo('ada@example.test'))
  await eventually(() => expect(subscriber.bodies('SubscriptionConfirmation').length).toBeGreaterThan(1))
})

test('only the token of the subscription confirms it', async () => {
  const subscriber = await startSubscriber({ confirms: false })
  const { url } = await startSandbox({ SES_EVENTS_URL: subscriber.url })
  await sesClient(url).send(emailTo('ada@example.test'))
  const [request] = await eventually(() => {
    expect(subscriber.bodies('SubscriptionConfirmation')).not.toHaveLength(0)
    return subscriber.bodies('SubscriptionConfirmation')
  })
  const forged = String(request?.SubscribeURL).replace(/Token=\w{4}/, 'Token=0000')
  expect((await fetch(forged)).status).toBe(400)
  const { items } = (await (await fetch(`${url}/sns/subscriptions`)).json()) as { items: { status: string }[] }
  expect(items).toMatchObject([{ status: 'pending', endpoint: subscriber.url }])
})

test.each(['1', '2'])('signatures of version %s can be checked against the certificate', async (version) => {
  const { subscriber, client } = await start({ SNS_SIGNATURE_VERSION: version })
  await client.send(emailTo('ada@example.test'))
  await eventually(() => expect(subscriber.events()).toHaveLength(2))
  const bodies = [...subscriber.bodies('SubscriptionConfirmation'), ...subscriber.bodies('Notification')]
  for (const body of bodies) {
    expect(body.SignatureVersion).toBe(version)
    expect(await isGenuine(body)).toBe(true)
    expect(await isGenuine({ ...body, Message: `${body.Message} ` })).toBe(false)
  }
})

test('a notification has the fields and headers of SNS', async () => {
  const { url, subscriber, client } = await start()
  await client.send(emailTo('ada@example.test'))
  await eventually(() => expect(subscriber.events()).toHaveLength(2))
  const [body] = subscriber.bodies('Notification')
  expect(body).toEqual({
    Type: 'Notification',
    MessageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    TopicArn: 'arn:aws:sns:us-east-1:123456789012:email-events',
    Subject: 'Amazon SES Email Event Notification',
    Message: expect.stringContaining('"eventType":"Send"'),
    Timestamp: expect.stringMatching(/Z$/),
    SignatureVersion: '2',
    Signature: expect.any(String),
    SigningCertURL: expect.stringMatching(new RegExp(`^${url}/sns/SimpleNotificationService-[0-9a-f]{32}\\.pem$`)),
    UnsubscribeURL: expect.stringContaining(`${url}/sns/?Action=Unsubscribe&SubscriptionArn=arn`),
  })
  expect(subscriber.received.find(({ body }) => body.includes('"Send')) ?? subscriber.received[1]).toMatchObject({
    path: '/events',
    headers: {
      'content-type': 'text/plain; charset=UTF-8',
      'x-amz-sns-message-type': 'Notification',
      'x-amz-sns-message-id': body?.MessageId,
      'x-amz-sns-topic-arn': body?.TopicArn,
      'x-amz-sns-subscription-arn': expect.stringContaining(`${body?.TopicArn}:`),
    },
  })
})

test('URLs in the messages use the public address of the sandbox', async () => {
  const { subscriber, client } = await start({ PUBLIC_URL: 'http://carriers.internal:8088/' })
  await client.send(emailTo('ada@example.test'))
  const [request] = await eventually(() => {
    expect(subscriber.bodies('SubscriptionConfirmation')).not.toHaveLength(0)
    return subscriber.bodies('SubscriptionConfirmation')
  })
  expect(request?.SubscribeURL).toMatch(/^http:\/\/carriers\.internal:8088\/sns\/\?Action=ConfirmSubscription&/)
  expect(request?.SigningCertURL).toMatch(/^http:\/\/carriers\.internal:8088\/sns\/Simple/)
})

test('another subscriber is asked at once, and gets the events of the same topic until it leaves', async () => {
  const { url, subscriber, client } = await start()
  const second = await startSubscriber()
  const answer = await fetch(`${url}/sns/subscriptions`, {
    method: 'POST',
    body: JSON.stringify({ endpoint: second.url }),
  })
  expect(answer.status).toBe(201)
  await eventually(() => expect(second.bodies('SubscriptionConfirmation')).not.toEqual([]))
  await client.send(emailTo('ada@example.test'))
  await eventually(() => expect([subscriber.events().length, second.events().length]).toEqual([2, 2]))
  const [body] = second.bodies('Notification')
  expect((await fetch(String(body?.UnsubscribeURL))).status).toBe(200)
  expect((await fetch(String(body?.UnsubscribeURL))).status).toBe(404)
  await client.send(emailTo('ada@example.test'))
  await eventually(() => expect(subscriber.events()).toHaveLength(4))
  expect(second.events()).toHaveLength(2)
})

test.each([
  ['endpoint', {}],
  ['endpoint', { endpoint: 'file:///etc/passwd' }],
  ['topic_arn', { endpoint: 'http://127.0.0.1:1', topic_arn: 'events' }],
])('a subscription with a wrong %s is refused with 422', async (path, body) => {
  const { url } = await startSandbox()
  const answer = await fetch(`${url}/sns/subscriptions`, { method: 'POST', body: JSON.stringify(body) })
  expect(answer.status).toBe(422)
  expect(await answer.json()).toMatchObject({ errors: [{ path }] })
})

test('events carry no trace context, like those of SNS', async () => {
  const { subscriber, client } = await start()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: Record<string, string> }).headers, { traceparent })
      return next(args)
    },
    { step: 'build' },
  )
  await client.send(emailTo('ada@example.test'))
  await eventually(() => expect(subscriber.events()).toHaveLength(2))
  const notified = subscriber.received.filter(({ headers }) => headers['x-amz-sns-message-type'] === 'Notification')
  expect(notified.map(({ headers }) => headers.traceparent)).toEqual([undefined, undefined])
})

test('the README explains every behaviour of email in the words of the table', async () => {
  const readme = (await readFile(new URL('../README.md', import.meta.url), 'utf8')).replace(/ +/g, ' ')
  for (const { local_part, summary } of emailBehaviours) expect(readme).toContain(`| ${local_part} | ${summary} |`)
})
