import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { newId } from '@notify/contracts'
import { generate } from 'selfsigned'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Correlation, EmailMessage } from '../../src/messages.ts'
import type { CarrierAccount } from '../../src/sender.ts'
import { SmtpCredentials } from '../../src/smtp/credentials.ts'
import { smtpSender } from '../../src/smtp/send.ts'
import { noConnection } from '../../src/verdict.ts'

export const options = {
  timeoutMs: 5000,
  maxConnections: 6,
  publicUrl: 'https://api.example.com',
  sandboxUrl: undefined,
  environment: { SMTP_EGRESS_ALLOW: { hasHost: (host: string) => host === 'localhost', hasAddress: () => false } },
}
/** Timeout for servers that never respond. */
export const impatientMs = 1000
const ends: (() => unknown)[] = []

/** Ends what a test started; for `afterEach`. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end()
}

/** A certificate for localhost, trusted only by this process. */
export let certificate: { key: string; cert: string }
const trusted = getCACertificates('default')

/** Makes the certificate of the servers and trusts it, until the returned function is called. */
export async function trustOwnCertificate(): Promise<() => void> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  certificate = { key, cert }
  setDefaultCACertificates([...trusted, cert])
  return () => setDefaultCACertificates(trusted)
}

/** Trusts the certificate no longer, for the rest of the test. */
export function distrustOwnCertificate(): void {
  setDefaultCACertificates(trusted)
  ends.push(() => setDefaultCACertificates([...trusted, certificate.cert]))
}

export interface Received {
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
export async function startServer(options: SMTPServerOptions = {}): Promise<MailServer> {
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

export function startCarrier(timeoutMs = options.timeoutMs) {
  const carrier = smtpSender.createSender({ ...options, timeoutMs })
  ends.push(() => carrier.close())
  return carrier
}

/** Sends a message, again for as long as no connection is free. */
export async function sendPatiently(
  carrier: ReturnType<typeof startCarrier>,
  account: CarrierAccount<SmtpCredentials>,
  message: EmailMessage & Correlation,
) {
  for (;;) {
    const answer = await carrier.send(account, message)
    if (answer.code !== noConnection.code) return answer
  }
}

export function providerAt(port: number, fields: Partial<SmtpCredentials> = {}): CarrierAccount<SmtpCredentials> {
  const credentials = {
    host: 'localhost',
    port: String(port),
    security: 'starttls',
    from: 'orders@example.com',
    ...fields,
  }
  return { id: newId('prov'), revision: 1, credentials: SmtpCredentials.parse(credentials) }
}

export function emailOf(fields: Partial<EmailMessage> = {}): EmailMessage & Correlation {
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

export const login = { username: 'shop', password: 'right' }

/** A scripted server: one reply per command; `undefined` is silence, `cut` closes the connection. */
export async function startScript(replyTo: (command: string) => string | undefined | 'cut'): Promise<number> {
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

export const polite: Record<string, string> = {
  CONNECT: '220 ready',
  EHLO: '250 hello',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  END: '250 taken',
  RSET: '250 ok',
  QUIT: '221 bye',
}
