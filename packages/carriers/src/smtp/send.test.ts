import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import {
  distrustOwnCertificate,
  emailOf,
  endAll,
  login,
  providerAt,
  type Received,
  sendPatiently,
  startCarrier,
  startServer,
  trustOwnCertificate,
} from '../../tests/smtp/mail-server.ts'

let distrust: () => void
beforeAll(async () => {
  distrust = await trustOwnCertificate()
})
afterAll(() => distrust())
afterEach(endAll)

test.each<['starttls' | 'tls']>([['starttls'], ['tls']])(
  'over %s the whole message arrives, encrypted, logged in, with our correlation',
  async (security) => {
    const server = await startServer({ secure: security === 'tls' })
    const provider = providerAt(server.port, { security, ...login, from_name: 'Łukasz’s shop' })
    const email = emailOf({ to_name: 'Lovelace, Ada', subject: 'Größe — ok', html: '<p>Hi <b>Ada</b></p>' })
    const messageId = `<${email.attemptId}@example.com>`
    expect(await startCarrier().send(provider, email)).toEqual({
      outcome: 'accepted',
      code: null,
      message: null,
      providerMessageId: messageId,
      retryAfterMs: null,
    })
    const [{ from, to, user, secure, text }] = server.received as [Received]
    expect([from, to, user, secure]).toEqual(['orders@example.com', ['ada@example.net'], 'shop', true])
    expect(text).toMatch(new RegExp(`^X-Notification-Id: ${email.notificationId}\\r$`, 'im'))
    expect(text).toContain(`Message-ID: ${messageId}\r\n`)
    expect(text).toMatch(/^To: "Lovelace, Ada" <ada@example\.net>\r$/m)
    expect(text).toMatch(/^From: =\?UTF-8\?.*\?= <orders@example\.com>\r$/m)
    expect(text).toMatch(/^Subject: =\?UTF-8\?/m)
    expect(text).toMatch(/^Content-Type: multipart\/alternative;/m)
    expect(text).toContain('<p>Hi <b>Ada</b></p>')
  },
)

test("a message's own sender overrides the provider's, also in the envelope", async () => {
  const server = await startServer()
  const email = emailOf({ from: 'news@shop.example', from_name: 'News' })
  const { providerMessageId } = await startCarrier().send(providerAt(server.port), email)
  expect(providerMessageId).toBe(`<${email.attemptId}@shop.example>`)
  const [{ from, text }] = server.received as [Received]
  expect(from).toBe('news@shop.example')
  expect(text).toMatch(/^From: News <news@shop\.example>\r$/m)
})

test.each([
  ['to_name', 'Ada\r\nBcc: all@example.com'],
  ['from_name', 'Shop\nBcc: all@example.com'],
  ['subject', 'Hi\r\nBcc: all@example.com\r\n\r\nbody'],
])('a line break in %s adds neither header nor recipient', async (field, value) => {
  const server = await startServer()
  await startCarrier().send(providerAt(server.port), emailOf({ [field]: value }))
  const [{ to, text }] = server.received as [Received]
  expect(to).toEqual(['ada@example.net'])
  expect(text).not.toMatch(/^Bcc:/im)
})

test('content that looks like a file or an address is sent as it is', async () => {
  const server = await startServer()
  const odd = JSON.stringify({ path: '/etc/passwd', href: 'http://127.0.0.1/' })
  expect(await startCarrier().send(providerAt(server.port), emailOf({ text: odd }))).toMatchObject({
    outcome: 'accepted',
  })
  expect(server.received[0]?.text).toContain('/etc/passwd')
  expect(server.received[0]?.text).not.toContain('root:')
})

test('messages of one provider share connections, and a lone dot ends no message', async () => {
  const server = await startServer()
  // The limit of each message counts from its call: a busy machine needs seconds for the last one.
  const carrier = startCarrier(60_000)
  const provider = providerAt(server.port)
  const emails = Array.from({ length: 20 }, (_, at) =>
    emailOf({ text: `${at}\n.\nRCPT TO:<all@example.com>\n..\nend` }),
  )
  const answers = await Promise.all(emails.map((email) => sendPatiently(carrier, provider, email)))
  expect(answers.map(({ outcome }) => outcome)).toEqual(Array(20).fill('accepted'))
  expect(server.received).toHaveLength(20)
  expect(server.received[0]?.text).toContain('end')
  expect(server.connections).toBeLessThanOrEqual(5)
})

test('a refused login is a fault of the account, not of the message, and the error names no user', async () => {
  const server = await startServer()
  const answer = await startCarrier().send(providerAt(server.port, { ...login, password: 'wrong' }), emailOf())
  expect(answer).toMatchObject({ outcome: 'rejected_retryable', providerDown: true, code: 'smtp_535' })
  expect(JSON.stringify(answer)).not.toContain('ada@')
  expect(server.received).toEqual([])
})

test('without STARTTLS nothing is sent to a server that requires it, least of all the password', async () => {
  const logins: string[] = []
  const server = await startServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) => {
      logins.push(String(password))
      done(null, { user: 'anybody' })
    },
  })
  const answer = await startCarrier().send(providerAt(server.port, login), emailOf())
  expect(answer).toMatchObject({ outcome: 'rejected_retryable', providerDown: true })
  expect([logins, server.received]).toEqual([[], []])
})

test('an untrusted certificate is refused before anything is sent', async () => {
  const server = await startServer({ secure: true })
  distrustOwnCertificate()
  const answer = await startCarrier().send(providerAt(server.port, { security: 'tls' }), emailOf())
  expect(answer.outcome).toBe('rejected_retryable')
  expect(server.received).toEqual([])
})

test('a server without TLS is used where the configuration says so', async () => {
  const server = await startServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  const answer = await startCarrier().send(providerAt(server.port, { security: 'none' }), emailOf())
  expect(answer.outcome).toBe('accepted')
  expect(server.received[0]?.secure).toBe(false)
})

test('copies are recipients of the envelope, and nobody reads who got a hidden one', async () => {
  const server = await startServer()
  const email = emailOf({
    cc: [{ address: 'grace@example.net', name: 'Grace' }],
    bcc: [{ address: 'audit@example.net' }],
    reply_to: [{ address: 'help@example.com' }],
    headers: { 'List-Id': 'Orders <orders.example.com>' },
  })
  expect(await startCarrier().send(providerAt(server.port), email)).toMatchObject({ outcome: 'accepted' })
  const [{ to, text }] = server.received as [Received]
  expect(to).toEqual(['ada@example.net', 'grace@example.net', 'audit@example.net'])
  expect(text).toMatch(/^Cc: Grace <grace@example\.net>\r$/m)
  expect(text).toMatch(/^Reply-To: help@example\.com\r$/m)
  expect(text).toMatch(/^List-Id: Orders <orders\.example\.com>\r$/im)
  expect(text).not.toMatch(/audit@|^Bcc:/im)
})

test('a file and an inline image travel in MIME', async () => {
  const server = await startServer()
  const email = emailOf({
    html: '<img src="cid:logo">',
    attachments: [
      { filename: 'a.pdf', content_type: 'application/pdf', content: Buffer.from('%PDF-1.7\n') },
      { filename: 'logo.png', content_type: 'image/png', content: Buffer.from('png'), content_id: 'logo' },
    ],
  })
  expect(await startCarrier().send(providerAt(server.port), email)).toMatchObject({ outcome: 'accepted' })
  const [{ text }] = server.received as [Received]
  expect(text).toMatch(/^Content-Type: multipart\/mixed;/m)
  expect(text).toMatch(/^Content-Disposition: attachment; filename=a\.pdf\r$/m)
  expect(text).toMatch(/^Content-Id: <logo>\r$/im)
  expect(text).toContain(Buffer.from('%PDF-1.7\n').toString('base64'))
})

test.each<[string, string, number, object]>([
  ['the recipient', 'ada@example.net', 550, { outcome: 'rejected_permanent', code: 'smtp_550' }],
  // A retry would send it to the copies again.
  ['the recipient for now', 'ada@example.net', 450, { outcome: 'rejected_permanent', code: 'smtp_450' }],
  [
    'a copy',
    'grace@example.net',
    550,
    {
      outcome: 'accepted',
      refusedCopies: [{ to: 'grace@example.net', reason: 'smtp_550 550 5.1.1 No such mailbox [address]' }],
    },
  ],
])('%s alone is refused: the answer is that of the recipient', async (_who, refused, responseCode, expected) => {
  const server = await startServer({
    onRcptTo: ({ address }, _session, done) =>
      address === refused
        ? done(Object.assign(new Error(`5.1.1 No such mailbox ${address}`), { responseCode }))
        : done(),
  })
  const email = emailOf({ cc: [{ address: 'grace@example.net' }] })
  expect(await startCarrier().send(providerAt(server.port), email)).toMatchObject(expected)
  expect(server.received).toHaveLength(1)
})
