import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { closedPort } from '@notify/test-kit/http'
import { startDistantServer, type Turn } from '@notify/test-kit/standstill'
import type { SMTPServerOptions } from 'smtp-server'
import {
  certificate,
  emailOf,
  endAll,
  impatientMs,
  login,
  polite,
  providerAt,
  sendPatiently,
  startCarrier,
  startScript,
  startServer,
  trustOwnCertificate,
} from '../../tests/smtp/mail-server.ts'
import { noConnection } from '../verdict.ts'

let distrust: () => void
beforeAll(async () => {
  distrust = await trustOwnCertificate()
})
afterAll(() => distrust())
afterEach(endAll)

const refuses = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

test.each<[string, SMTPServerOptions, object]>([
  [
    'refuses the recipient permanently',
    { onRcptTo: (_to, _session, done) => done(refuses(550, '5.1.1 <ada@example.net> user unknown')) },
    { outcome: 'rejected_permanent', code: 'smtp_550' },
  ],
  [
    'refuses the recipient temporarily',
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
    'has a limit of the account that is used up, which Gmail says after DATA',
    {
      onData: (stream, _session, done) =>
        stream
          .resume()
          .on('end', () => done(refuses(550, '5.4.5 Daily user sending limit exceeded.\n5.4.5 More: a page'))),
    },
    { outcome: 'rejected_retryable', code: 'smtp_550', providerDown: true },
  ],
  [
    'refuses temporarily after DATA',
    { onData: (stream, _session, done) => stream.resume().on('end', () => done(refuses(451, 'busy'))) },
    { outcome: 'rejected_retryable', code: 'smtp_451' },
  ],
  [
    'closes the connection at the recipient',
    { onRcptTo: (_to, _session, done) => done(refuses(421, '4.7.0 closing connection')) },
    { outcome: 'rejected_retryable', carrierFault: true, code: 'smtp_421' },
  ],
  [
    'refuses every connection',
    { onConnect: (_session, done) => done(refuses(421, 'too many connections')) },
    { outcome: 'rejected_retryable', carrierFault: true },
  ],
])('a server that %s is judged by its reply', async (_what, options, expected) => {
  const server = await startServer(options)
  const answer = await startCarrier().send(providerAt(server.port), emailOf())
  expect(answer).toMatchObject({ ...expected, providerMessageId: null })
  expect(JSON.stringify(answer)).not.toContain('ada@')
})

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
])('a server that %s is judged by the step at which it fails', async (_what, at, reply, expected) => {
  const port = await startScript((command) => (command === at ? reply : polite[command]))
  const started = performance.now()
  // Only silence needs the timeout. What comes before the end of the message takes its time on a busy machine.
  const carrier = startCarrier(reply !== undefined ? undefined : at === 'END' ? 3000 : impatientMs)
  const answer = await carrier.send(providerAt(port, { security: 'none' }), emailOf())
  expect(answer).toMatchObject({ ...expected, providerMessageId: null })
  expect(performance.now() - started).toBeLessThan(10_000)
})

test("a mailbox in the server's reply is masked", async () => {
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

test('a server that trickles its replies is abandoned at the deadline', async () => {
  const port = await startScript((command) => (command === 'CONNECT' ? '220-wait' : polite[command]))
  const started = performance.now()
  expect(await startCarrier(impatientMs).send(providerAt(port, { security: 'none' }), emailOf())).toMatchObject({
    outcome: 'rejected_retryable',
    carrierFault: true,
  })
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('a message for which no connection becomes free was never sent, and is no fault of the server', async () => {
  let taken = 0
  const port = await startScript((command) => {
    if (command !== 'END') return polite[command]
    taken++
    return undefined
  })
  // Long enough for a busy machine to open the connections of the pool.
  const carrier = startCarrier(5000)
  const provider = providerAt(port, { security: 'none' })
  const answers = await Promise.all(Array.from({ length: 8 }, () => carrier.send(provider, emailOf())))
  expect(answers.slice(5)).toEqual(Array(3).fill(noConnection))
  expect(noConnection).not.toHaveProperty('carrierFault')
  const begun = answers.filter(({ outcome }) => outcome === 'unknown').length
  expect(taken).toBeGreaterThan(0)
  expect(begun).toBeGreaterThanOrEqual(taken)
})

test('a slow server takes each of many messages once, and none has an unknown outcome', async () => {
  const timeoutMs = 10_000
  const taken: string[] = []
  const server = await startServer({
    async onData(stream, _session, done) {
      const text = Buffer.concat(await stream.toArray()).toString()
      taken.push(/^Message-ID: (.*)\r$/im.exec(text)![1]!)
      setTimeout(done, 0.22 * timeoutMs)
    },
  })
  const carrier = startCarrier(timeoutMs)
  const provider = providerAt(server.port, { security: 'none' })
  const emails = Array.from({ length: 32 }, () => emailOf())
  const answers = await Promise.all(emails.map((email) => sendPatiently(carrier, provider, email)))
  expect(answers.map(({ outcome }) => outcome)).toEqual(Array(32).fill('accepted'))
  expect(taken.toSorted()).toEqual(answers.map(({ providerMessageId }) => providerMessageId!).toSorted())
})

test.each<[string, (nth: () => number) => SMTPServerOptions]>([
  [
    'connection',
    (nth) => ({ onConnect: (_session, done) => done(nth() > 1 ? refuses(421, '4.3.2 too many connections') : null) }),
  ],
  [
    'login',
    (nth) => ({
      onAuth: (_auth, _session, done) =>
        nth() > 1 ? done(refuses(432, '4.3.2 too many connections')) : done(null, { user: 'shop' }),
    }),
  ],
])('a message whose %s a server refuses while it takes another one finds no free connection', async (_what, limit) => {
  let opened = 0
  const end = Promise.withResolvers<() => void>()
  const server = await startServer({
    ...limit(() => ++opened),
    onData: (stream, _session, done) => stream.resume().on('end', () => end.resolve(done)),
  })
  const carrier = startCarrier(60_000)
  const provider = providerAt(server.port, login)
  const first = carrier.send(provider, emailOf())
  const take = await end.promise
  expect(await carrier.send(provider, emailOf())).toEqual(noConnection)
  take()
  expect(await first).toMatchObject({ outcome: 'accepted' })
})

test('a server that refuses every connection is at fault for each message of many', async () => {
  const server = await startServer({ onConnect: (_session, done) => done(refuses(421, '4.3.2 closed for today')) })
  const carrier = startCarrier(60_000)
  const provider = providerAt(server.port, login)
  const answers = await Promise.all(Array.from({ length: 5 }, () => carrier.send(provider, emailOf())))
  expect(answers.map(({ carrierFault }) => carrierFault)).toEqual(Array(5).fill(true))
})

/** Sends to a server that gives its last reply while the process stands still, until the timeout is over. */
async function sendDuringStandstill(turns: Turn[], security: 'none' | 'tls' = 'none') {
  const timeoutMs = 3000
  const secured = security === 'tls' ? { certificate } : {}
  const server = await startDistantServer({ ...secured, greeting: '220 ready\r\n', turns })
  const startedMs = performance.now()
  const answer = startCarrier(timeoutMs).send(providerAt(server.port, { security }), emailOf())
  try {
    await server.standStillUntil(startedMs + timeoutMs + 500)
    return await answer
  } finally {
    await server.close()
  }
}
const untilData: Turn[] = [
  ['EHLO', '250 hello\r\n'],
  ['MAIL', '250 ok\r\n'],
  ['RCPT', '250 ok\r\n'],
  ['DATA', '354 go on\r\n'],
]

test.each(['none', 'tls'] as const)(
  'a message that the server takes while the process stands still is accepted, however long that takes; security: %s',
  async (security) => {
    const answer = await sendDuringStandstill([...untilData, ['\r\n.\r\n', '250 taken\r\n']], security)
    expect(answer).toMatchObject({ outcome: 'accepted' })
  },
)

test('a message that the server asks for while the process stands still is not sent after its timeout', async () => {
  expect(await sendDuringStandstill(untilData)).toMatchObject({ outcome: 'rejected_retryable', carrierFault: true })
})

test('a closed port is a temporary refusal', async () => {
  expect(await startCarrier().send(providerAt(await closedPort()), emailOf())).toMatchObject({
    outcome: 'rejected_retryable',
    code: 'ECONNREFUSED',
    carrierFault: true,
  })
})

test('a forbidden mail server is not called, and its provider is down', async () => {
  const server = await startServer()
  const provider = providerAt(server.port, { host: '127.0.0.1', security: 'none' })
  const answer = await startCarrier().send(provider, emailOf())
  expect(answer).toMatchObject({ outcome: 'rejected_retryable', code: 'EDESTINATION', providerDown: true })
  expect([JSON.stringify(answer).includes('127.0.0.1'), server.connections]).toEqual([false, 0])
})
