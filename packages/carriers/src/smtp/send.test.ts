import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { closedPort } from '@notify/test-kit/closed-port'
import { generate } from 'selfsigned'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Correlation, EmailMessage } from '../messages.ts'
import type { CarrierAccount } from '../sender.ts'
import { SmtpCredentials } from './credentials.ts'
import { smtpSender } from './send.ts'

const options = {
  timeoutMs: 5000,
  maxConnections: 6,
  publicUrl: 'https://api.example.com',
  sandboxUrl: undefined,
  environment: { SMTP_EGRESS_ALLOW: { hasHost: (host: string) => host === 'localhost', hasAddress: () => false } },
}
/** Timeout for servers that never respond. */
const impatientMs = 400
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A certificate for localhost, trusted only by this process. */
let certificate: { key: string; cert: string }
const trusted = getCACertificates('default')
beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  certificate = { key, cert }
  setDefaultCACertificates([...trusted, cert])
})
afterAll(() => setDefaultCACertificates(trusted))

interface Received {
  from: string
  to: string[]
  user: string | undefined
  secure: boolean
  text: string
}

interface MailServer {
  port: number
  received: Received[]
  connections: number
}

/** A mail server that accepts everything by default. */
async function startServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const state: MailServer = { port: 0, received: [], connections: 0 }
  const server = new SMTPServer({
    ...certificate,
    authOptional: true,
    logger: false,
    closeTimeout: 50,
    onConnect(_session, done) {
      state.connections++
      done()
    },
    onAuth: (auth, _session, done) =>
      auth.password === 'right'
        ? done(null, { user: auth.username ?? '' })
        : done(Object.assign(new Error('5.7.8 Authentication failed for ada@example.com'), { responseCode: 535 })),
    async onData(stream, session, done) {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      const { mailFrom, rcptTo } = session.envelope
      state.received.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        user: typeof session.user === 'string' ? session.user : undefined,
        secure: session.secure,
        text: Buffer.concat(chunks).toString(),
      })
      done()
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  state.port = (server.server.address() as AddressInfo).port
  ends.push(() => new Promise<void>((resolve) => server.close(resolve)))
  return state
}

function startCarrier(timeoutMs = options.timeoutMs) {
  const carrier = smtpSender.createSender({ ...options, timeoutMs })
  ends.push(() => carrier.close())
  return carrier
}

function providerAt(port: number, fields: Partial<SmtpCredentials> = {}): CarrierAccount<SmtpCredentials> {
  const credentials = {
    host: 'localhost',
    port: String(port),
    security: 'starttls',
    from: 'orders@example.com',
    ...fields,
  }
  return { id: newId('prov'), revision: 1, credentials: SmtpCredentials.parse(credentials) }
}

function emailOf(fields: Partial<EmailMessage> = {}): EmailMessage & Correlation {
  return {
    to: 'ada@example.net',
    subject: 'Your order is on its way',
    text: 'Hi Ada',
    notificationId: newId('notif'),
    attemptId: newId('att'),
    mode: 'live',
    traceparent: undefined,
    ...fields,
  }
}

const login = { username: 'shop', password: 'right' }

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

test("a message's own sender stands before the provider's, in the envelope as well", async () => {
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
  const carrier = startCarrier(3000)
  const provider = providerAt(server.port)
  const emails = Array.from({ length: 20 }, (_, at) =>
    emailOf({ text: `${at}\n.\nRCPT TO:<all@example.com>\n..\nend` }),
  )
  const answers = await Promise.all(emails.map((email) => carrier.send(provider, email)))
  expect(answers.map(({ outcome }) => outcome)).toEqual(Array(20).fill('accepted'))
  expect(server.received).toHaveLength(20)
  expect(server.received[0]?.text).toContain('end')
  expect(server.connections).toBeLessThanOrEqual(5)
})

const refuses = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

test.each<[string, SMTPServerOptions, object]>([
  [
    'refuses the recipient for good',
    { onRcptTo: (_to, _session, done) => done(refuses(550, '5.1.1 <ada@example.net> user unknown')) },
    { outcome: 'rejected_permanent', code: 'smtp_550' },
  ],
  [
    'asks to come again for the recipient',
    { onRcptTo: (_to, _session, done) => done(refuses(450, '4.2.0 greylisted')) },
    { outcome: 'rejected_retryable', code: 'smtp_450' },
  ],
  [
    'refuses the sender',
    { onMailFrom: (_from, _session, done) => done(refuses(553, 'not yours')) },
    { outcome: 'rejected_permanent', code: 'smtp_553' },
  ],
  [
    'refuses the content after DATA',
    { onData: (stream, _session, done) => stream.resume().on('end', () => done(refuses(554, 'spam'))) },
    { outcome: 'rejected_permanent', code: 'smtp_554' },
  ],
  [
    'asks to come again after DATA',
    { onData: (stream, _session, done) => stream.resume().on('end', () => done(refuses(451, 'busy'))) },
    { outcome: 'rejected_retryable', code: 'smtp_451' },
  ],
  [
    'turns everybody away at the door',
    { onConnect: (_session, done) => done(refuses(421, 'too many connections')) },
    { outcome: 'rejected_retryable', carrierFault: true },
  ],
])('a server that %s is believed', async (_what, options, expected) => {
  const server = await startServer(options)
  const answer = await startCarrier().send(providerAt(server.port), emailOf())
  expect(answer).toMatchObject({ ...expected, providerMessageId: null })
  expect(JSON.stringify(answer)).not.toContain('ada@')
})

test('a refused login stops the account, not the message; nobody is named', async () => {
  const server = await startServer()
  const answer = await startCarrier().send(providerAt(server.port, { ...login, password: 'wrong' }), emailOf())
  expect(answer).toMatchObject({ outcome: 'rejected_retryable', providerDown: true, code: 'smtp_535' })
  expect(JSON.stringify(answer)).not.toContain('ada@')
  expect(server.received).toEqual([])
})

test('without STARTTLS nothing is said to a server that was to speak it, least of all the password', async () => {
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

test('a certificate that nobody vouches for is refused before anything is said', async () => {
  const server = await startServer({ secure: true })
  setDefaultCACertificates(trusted)
  ends.push(() => setDefaultCACertificates([...trusted, certificate.cert]))
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

/** A scripted server: one reply per command; `undefined` is silence, `cut` closes the connection. */
async function startScript(replyTo: (command: string) => string | undefined | 'cut'): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let inBody = false
    const say = (reply: string | undefined) => {
      if (reply === 'cut') socket.destroy()
      else if (reply) socket.write(`${reply}\r\n`)
    }
    say(replyTo('CONNECT'))
    let rest = ''
    socket.on('data', (chunk) => {
      rest += chunk
      while (rest.includes(inBody ? '\r\n.\r\n' : '\r\n')) {
        const [line = ''] = rest.split(inBody ? '\r\n.\r\n' : '\r\n', 1)
        rest = rest.slice(line.length + (inBody ? 5 : 2))
        const command = inBody ? 'END' : (line.split(/[ :]/)[0] ?? '').toUpperCase()
        inBody = command === 'DATA'
        say(replyTo(command))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

const polite: Record<string, string> = {
  CONNECT: '220 ready',
  EHLO: '250 hello',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  END: '250 taken',
  RSET: '250 ok',
  QUIT: '221 bye',
}

test.each<[string, string, string | undefined, object]>([
  ['says nothing', 'CONNECT', undefined, { outcome: 'rejected_retryable', carrierFault: true }],
  ['hangs up', 'CONNECT', 'cut', { outcome: 'rejected_retryable', carrierFault: true }],
  ['says nothing to EHLO', 'EHLO', undefined, { outcome: 'rejected_retryable', carrierFault: true }],
  ['hangs up at MAIL', 'MAIL', 'cut', { outcome: 'rejected_retryable', carrierFault: true }],
  ['says nothing to RCPT', 'RCPT', undefined, { outcome: 'rejected_retryable', carrierFault: true }],
  ['hangs up at DATA', 'DATA', 'cut', { outcome: 'rejected_retryable', carrierFault: true }],
  ['refuses DATA', 'DATA', '554 no', { outcome: 'rejected_permanent', code: 'smtp_554' }],
  ['says nothing after the message', 'END', undefined, { outcome: 'unknown', carrierFault: true }],
  ['hangs up after the message', 'END', 'cut', { outcome: 'unknown', carrierFault: true }],
  ['answers gibberish after the message', 'END', 'hm', { outcome: 'unknown', carrierFault: true }],
  ['closes with 421 after the message', 'END', '421 shutting down', { outcome: 'rejected_retryable' }],
])('a server that %s leaves the outcome that is true', async (_what, at, reply, expected) => {
  const port = await startScript((command) => (command === at ? reply : polite[command]))
  const started = performance.now()
  const answer = await startCarrier(impatientMs).send(providerAt(port, { security: 'none' }), emailOf())
  expect(answer).toMatchObject({ ...expected, providerMessageId: null })
  expect(performance.now() - started).toBeLessThan(2000)
})

test('a server that names the mailbox alone names nobody in what is kept of it', async () => {
  const port = await startScript((command) =>
    command === 'RCPT' ? '550 5.1.1 <Ada.L+news>... User ada.l+news unknown, not adams' : polite[command],
  )
  const message = emailOf({ to: 'ada.l+news@example.net' })
  const answer = await startCarrier().send(providerAt(port, { security: 'none' }), message)
  expect(answer).toMatchObject({
    outcome: 'rejected_permanent',
    message: '550 5.1.1 <[address]>... User [address] unknown, not adams',
  })
})

test('a server that trickles its replies is left at the deadline', async () => {
  const port = await startScript((command) => (command === 'CONNECT' ? '220-wait' : polite[command]))
  const started = performance.now()
  expect(await startCarrier(impatientMs).send(providerAt(port, { security: 'none' }), emailOf())).toMatchObject({
    outcome: 'rejected_retryable',
    carrierFault: true,
  })
  expect(performance.now() - started).toBeLessThan(2000)
})

test('whoever waits too long for a connection of the pool was never sent', async () => {
  const port = await startScript((command) => (command === 'END' ? undefined : polite[command]))
  const carrier = startCarrier(impatientMs)
  const provider = providerAt(port, { security: 'none' })
  const answers = await Promise.all(Array.from({ length: 8 }, () => carrier.send(provider, emailOf())))
  const neverSent = answers.filter(({ outcome }) => outcome === 'rejected_retryable').length
  const begun = answers.filter(({ outcome }) => outcome === 'unknown').length
  expect(neverSent + begun).toBe(8)
  // One of them may have got a connection at the last moment.
  expect(neverSent).toBeGreaterThan(0)
  expect(begun).toBeGreaterThanOrEqual(5)
})

test('a port where nobody listens is a refusal for now', async () => {
  expect(await startCarrier().send(providerAt(await closedPort()), emailOf())).toMatchObject({
    outcome: 'rejected_retryable',
    code: 'ECONNREFUSED',
    carrierFault: true,
  })
})

test('a mail server that may not be called is not, and the provider is down', async () => {
  const server = await startServer()
  const provider = providerAt(server.port, { host: '127.0.0.1', security: 'none' })
  const answer = await startCarrier().send(provider, emailOf())
  expect(answer).toMatchObject({ outcome: 'rejected_retryable', code: 'EDESTINATION', providerDown: true })
  expect([JSON.stringify(answer).includes('127.0.0.1'), server.connections]).toEqual([false, 0])
})
