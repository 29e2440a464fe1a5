import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, storedRows } from '@notify/test-kit/api'
import { openBus, storedMessages, untilSettled } from '@notify/test-kit/bus'
import {
  bounce,
  createSigner,
  type EmailCorrelation,
  type Fields,
  recipient,
  type StandInSns,
  sesEvent,
  startSns,
  topicArn,
} from '@notify/test-kit/ses'
import { addEmailProvider } from './email-provider.ts'

const secondTopic = `${topicArn}-2`
const foreignTopic = `${topicArn}-of-somebody-else`

let env: TestEnv
let sns: StandInSns
let providerId: string
beforeAll(async () => {
  sns = await startSns()
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-api'],
    env: { callbacks: { SNS_CERTIFICATE_HOSTS: `http://127.0.0.1:1, ${sns.origin}` } },
  })
  providerId = await addEmailProvider(env, ` ${topicArn} ,${secondTopic}`)
})
afterAll(async () => {
  await env?.stop()
  await sns?.stop()
})
beforeEach(() => sns.reset())
afterEach(() => sns.reset())

/** Posts as SNS does, to the public address. */
function post(message: unknown, { to = providerId, type = 'text/plain; charset=UTF-8' } = {}): Promise<ApiResponse> {
  return env.api('POST', `/api/v1/callbacks/email/${to}`, {
    key: null,
    raw: typeof message === 'string' ? message : JSON.stringify(message),
    headers: { 'content-type': type, 'x-amz-sns-message-type': 'Notification' },
  })
}

const notify = (event: unknown, fields: Fields = {}) =>
  post(sns.message({ Message: typeof event === 'string' ? event : JSON.stringify(event), ...fields }))

/** An accepted email with its record in dispatch. */
async function sentEmail(index = crypto.randomUUID()): Promise<EmailCorrelation & { index: string }> {
  const [notificationId, attemptId] = [newId('notif'), newId('att')]
  await env.admin.query(
    `insert into dispatch.notifications (id, tenant_id, application_id, channel, lane, mode, status, recipient_masked,
       recipient_index, credits, attempt_count, round_attempts, payload)
     values ($1, $2, $3, 'email', 'transactional', 'live', 'sent', 'a***@example.com', $4, 0, 1, 1, 'sealed')`,
    [notificationId, env.tenantId, env.applicationId, index],
  )
  await env.admin.query(
    `insert into dispatch.attempts (notification_id, number, id, provider_id, lease_until, finished_at, outcome)
     values ($1, 1, $2, $3, now(), now(), 'accepted')`,
    [notificationId, attemptId, providerId],
  )
  return { notificationId, attemptId, index }
}

const until = ({ notificationId }: EmailCorrelation, expected: object) =>
  eventually(async () => {
    const { body } = await env.api('GET', `/api/v1/notifications/${notificationId}`)
    expect(body).toMatchObject(expected)
  })

async function suppressionsOf({ notificationId }: EmailCorrelation) {
  const { body } = await env.api('GET', '/api/v1/suppressions?channel=email&limit=100', { token: env.operatorToken })
  return body.items.filter(
    ({ source_notification_id }: { source_notification_id: string }) => source_notification_id === notificationId,
  )
}

const settled = () => untilSettled(env)

describe('an event of SES moves the notification', () => {
  test('Delivery delivers it', async () => {
    const email = await sentEmail()
    const answer = await notify(sesEvent('Delivery', {}, email))
    expect([answer.status, answer.body]).toEqual([200, { status: 'recorded' }])
    await until(email, { delivery_status: 'delivered', failure_reason: null })
    expect(await suppressionsOf(email)).toEqual([])
  })

  test('a permanent bounce leaves it undelivered, not to be retried, and its recipient suppressed', async () => {
    const email = await sentEmail()
    await notify(bounce('Permanent', 'General', email))
    await until(email, {
      delivery_status: 'undelivered',
      retryable: false,
      failure_reason: 'bounce:Permanent:General smtp; 550 5.1.1 <[address]> unknown',
    })
    await eventually(async () => {
      expect(await suppressionsOf(email)).toMatchObject([{ reason: 'bounce', recipient_masked: 'a***@example.com' }])
    })
  })

  test.each(['a', 'a@', '. '])('a diagnosis of 400 KB of %j is read at once', async (text) => {
    const details = {
      bounce: {
        bounceType: 'Transient',
        bounceSubType: 'General',
        bouncedRecipients: [{ emailAddress: recipient, diagnosticCode: text.repeat(400_000 / text.length) }],
      },
    }
    const email = await sentEmail()
    // The fastest of three: a busy machine slows some, a slow pattern all.
    const times: number[] = []
    for (let tries = 0; tries < 3; tries++) {
      const started = performance.now()
      expect((await notify(sesEvent('Bounce', details, email))).status).toBe(200)
      times.push(performance.now() - started)
    }
    expect(Math.min(...times)).toBeLessThan(2000)
    await until(email, { delivery_status: 'undelivered' })
  })

  test('a transient bounce may be retried, and suppresses nobody', async () => {
    const email = await sentEmail()
    await notify(bounce('Transient', 'MailboxFull', email))
    await until(email, { delivery_status: 'undelivered', retryable: true })
    await settled()
    expect(await suppressionsOf(email)).toEqual([])
  })

  test('a permanent bounce after a transient one of the same message suppresses the recipient', async () => {
    const email = await sentEmail()
    const soft = bounce('Transient', 'MailboxFull', email)
    await notify(soft)
    await until(email, { delivery_status: 'undelivered' })
    expect(await suppressionsOf(email)).toEqual([])
    for (const _ of [1, 2]) await notify({ ...bounce('Permanent', 'General', email), mail: soft.mail })
    await eventually(async () => expect(await suppressionsOf(email)).toMatchObject([{ reason: 'bounce' }]))
  })

  test('a complaint suppresses, and leaves what was delivered as it is', async () => {
    const email = await sentEmail()
    await notify(sesEvent('Delivery', {}, email))
    await notify(sesEvent('Complaint', { complaint: { complaintFeedbackType: 'abuse' } }, email))
    await eventually(async () => expect(await suppressionsOf(email)).toMatchObject([{ reason: 'complaint' }]))
    await until(email, { delivery_status: 'delivered' })
  })

  test('Reject fails it; a delay changes nothing', async () => {
    const [rejected, delayed] = [await sentEmail(), await sentEmail()]
    await notify(sesEvent('DeliveryDelay', { deliveryDelay: { delayType: 'MailboxFull' } }, delayed))
    await notify(sesEvent('Reject', { reject: { reason: 'Bad content' } }, rejected))
    await until(rejected, { delivery_status: 'failed', retryable: false, failure_reason: 'reject Bad content' })
    await settled()
    await until(delayed, { delivery_status: 'sent', failure_reason: null })
  })

  test('all at the same moment and in any order, the message ends as delivered', async () => {
    const email = await sentEmail()
    const events = [
      bounce('Transient', 'General', email),
      ...['Send', 'Delivery', 'Send'].map((type) => sesEvent(type, {}, email)),
    ]
    await Promise.all(events.map((event) => notify(event)))
    await settled()
    await until(email, { delivery_status: 'delivered', failure_reason: null })
  })

  test('either version of the signature, a subject and the provider’s other topic are as good', async () => {
    const email = await sentEmail()
    const fields = { SignatureVersion: '1', Subject: 'Amazon SES Email Event Notification', TopicArn: secondTopic }
    expect((await notify(sesEvent('Delivery', {}, email), fields)).status).toBe(200)
    await until(email, { delivery_status: 'delivered' })
  })
})

test('a repeated notification is answered 200 and recorded once', async () => {
  const email = await sentEmail()
  await settled()
  const before = await storedRows(env)
  const message = sns.message({ Message: JSON.stringify(sesEvent('Delivery', {}, email)) })
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(message)))
  answers.push(await post(message))
  expect(answers.map(({ status, body }) => [status, body.status])).toEqual(answers.map(() => [200, 'recorded']))
  await settled()
  const after = await storedRows(env)
  for (const table of ['callbacks.received_callbacks', 'callbacks.outbox']) {
    expect([table, after[table]]).toEqual([table, (before[table] ?? 0) + 1])
  }
})

test('an event of a message that is not ours is recorded and moves nothing', async () => {
  expect((await notify(sesEvent('Delivery'))).body).toEqual({ status: 'recorded' })
  expect(
    (await notify(bounce('Permanent', 'General', { notificationId: newId('notif'), attemptId: newId('att') }))).status,
  ).toBe(200)
  await settled()
  const { rows } = await env.admin.query('select count(*)::int as count from dispatch.dead_letters')
  expect(rows[0].count).toBe(0)
})

test('a callback that is not a delivery event is answered 200 and ignored: a repetition would not help', async () => {
  await settled()
  const before = await storedRows(env)
  for (const event of [
    'Successfully validated SNS topic.',
    '{"eventType":',
    sesEvent('Open'),
    sesEvent('Teleport'),
    '[]',
  ]) {
    const { status, body } = await notify(event)
    expect([status, body]).toEqual([200, { status: 'ignored' }])
  }
  expect(await storedRows(env)).toEqual(before)
})

test('another tenant’s provider, rightly signed, moves and suppresses nothing that is not its own', async () => {
  const other = newId('ten')
  const otherProvider = await addEmailProvider(env, foreignTopic, other)
  const email = await sentEmail()
  const message = sns.message({
    TopicArn: foreignTopic,
    Message: JSON.stringify(bounce('Permanent', 'General', email)),
  })
  expect((await post(message, { to: otherProvider })).status).toBe(200)
  await settled()
  await until(email, { delivery_status: 'sent' })
  expect(await suppressionsOf(email)).toEqual([])
})

describe('a message that SNS did not sign for this provider is 403 and leaves nothing', () => {
  const cases: [string, (event: string) => Fields | Promise<Fields>][] = [
    ['no signature', (Message) => sns.message({ Message }, { Signature: undefined })],
    ['another message than was signed', () => sns.message({}, { Message: JSON.stringify(sesEvent('Delivery')) })],
    ['a topic that the provider does not name', (Message) => sns.message({ Message, TopicArn: foreignTopic })],
    [
      'a foreign certificate',
      (Message) => sns.message({ Message }, { SigningCertURL: 'https://evil.example/cert.pem' }),
    ],
    [
      'a certificate of a bucket called sns',
      (Message) => sns.message({ Message }, { SigningCertURL: 'https://sns.s3-eu-west-1.amazonaws.com/cert.pem' }),
    ],
    [
      'somebody else’s key',
      async (Message) => {
        const message = sns.message({ Message })
        return { ...message, Signature: (await createSigner()).sign(message) }
      },
    ],
  ]

  test.each(cases)('%s', async (_what, make) => {
    const email = await sentEmail()
    await settled()
    const before = await storedRows(env)
    const message = await make(JSON.stringify(bounce('Permanent', 'General', email)))
    expectProblem(await post(message), 403, 'invalid_signature')
    expect(await storedRows(env)).toEqual(before)
  })
})

describe('subscriptions', () => {
  const confirmation = (fields: Fields = {}, after: Fields = {}) =>
    post(sns.message({ Type: 'SubscriptionConfirmation', ...fields }, after))
  const confirmed = () => sns.asked.filter((path) => path.includes('ConfirmSubscription'))

  test('one of a topic that the provider names is confirmed at the address that SNS gave', async () => {
    const answer = await confirmation()
    expect([answer.status, answer.body]).toEqual([200, { status: 'confirmed' }])
    expect(confirmed()).toEqual(['/?Action=ConfirmSubscription&Token=t'])
  })

  test.each<[string, Fields, Fields]>([
    ['a topic of somebody else', { TopicArn: foreignTopic }, {}],
    [
      'an address elsewhere, though it is signed',
      { SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription' },
      {},
    ],
    ['an address inside the house', { SubscribeURL: 'http://169.254.169.254/latest/meta-data' }, {}],
    ['an address changed after signing', {}, { SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?x=1' }],
  ])('%s is 403, and nothing is asked for', async (_what, fields, after) => {
    expectProblem(await confirmation(fields, after), 403, 'invalid_signature')
    expect(confirmed()).toEqual([])
  })

  test('when SNS does not take the confirmation it is asked to come again', async () => {
    sns.answer = (response, path) =>
      path.endsWith('.pem') ? response.end(sns.certificate) : response.writeHead(500).end()
    expectProblem(await confirmation(), 503, 'service_unavailable')
    sns.reset()
    expect((await confirmation()).status).toBe(200)
  })

  test('the end of a subscription is answered 200', async () => {
    const { status, body } = await post(sns.message({ Type: 'UnsubscribeConfirmation' }))
    expect([status, body]).toEqual([200, { status: 'ignored' }])
    expect(confirmed()).toEqual([])
  })
})

test('while the certificate is not available SNS is asked to retry, and it is fetched again', async () => {
  const email = await sentEmail()
  const SigningCertURL = `${sns.origin}/SimpleNotificationService-new.pem`
  const message = sns.message({ Message: JSON.stringify(sesEvent('Delivery', {}, email)) }, { SigningCertURL })
  sns.answer = (response) => response.writeHead(503).end('busy')
  const answer = await post(message)
  expectProblem(answer, 503, 'service_unavailable')
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  sns.reset()
  expect((await post(message)).status).toBe(200)
  await until(email, { delivery_status: 'delivered' })
})

describe('a message that cannot be from SNS is refused with a reason', () => {
  test.each(['prov_unknown', 'x', newId('prov'), "'; drop table providers; --"])(
    'the provider %s is 404',
    async (to) => {
      expectProblem(await post(sns.message(), { to: encodeURIComponent(to) }), 404, 'not_found')
    },
  )

  test('nor is a provider of another kind one for email', async () => {
    const { twilio_provider_id: to } = env.stack.state
    expectProblem(await post(sns.message(), { to }), 404, 'not_found')
  })

  test.each([
    ['nothing', '', 400, 'invalid_json'],
    ['no JSON', 'hello', 400, 'invalid_json'],
    ['bytes', '\u0000\u0001', 400, 'invalid_json'],
    ['a raw event, unsigned', JSON.stringify(sesEvent('Delivery')), 422, 'validation_failed'],
    ['a list', '[]', 422, 'validation_failed'],
    ['513 KB', 'x'.repeat(513 * 1024), 413, 'payload_too_large'],
  ])('%s', async (_what, raw, status, code) => {
    expectProblem(await post(raw), status, code)
  })

  test('the type that a subscription sets makes no difference, nor does a bearer token', async () => {
    expect((await post(sns.message(), { type: 'application/json' })).status).toBe(200)
    const answer = await env.api('POST', `/api/v1/callbacks/email/${providerId}`, {
      body: sns.message({}, { Signature: '' }),
    })
    expectProblem(answer, 403, 'invalid_signature')
  })
})

test('no address is in the log, on the bus or in a table of callbacks', async () => {
  const email = await sentEmail()
  await notify(bounce('Permanent', 'General', email))
  await notify('{"mail":{"destination":["ada.lovelace@example.com"]}}')
  await until(email, { delivery_status: 'undelivered' })
  await settled()
  await using bus = await openBus(env)
  const told = (await storedMessages(bus, ['callbacks', 'dispatch'])).map(({ text }) => text).join('\n')
  const { rows } = await env.admin.query('select * from callbacks.outbox')
  const logged = env.logs('callbacks', 10_000) + env.logs('dispatch-worker', 10_000)
  expect(logged).toContain(providerId)
  for (const text of [told, JSON.stringify(rows), logged]) expect(text).not.toContain(recipient.split('@')[0])
})
