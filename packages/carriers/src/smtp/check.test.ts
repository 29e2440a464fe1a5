import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { closedPort } from '@notify/test-kit/http'
import {
  distrustOwnCertificate,
  endAll,
  impatientMs,
  login,
  options,
  polite,
  providerAt,
  startScript,
  startServer,
  trustOwnCertificate,
} from '../../tests/smtp/mail-server.ts'
import { checkAccount } from './check.ts'
import type { SmtpCredentials } from './credentials.ts'

let distrust: () => void
beforeAll(async () => {
  distrust = await trustOwnCertificate()
})
afterAll(() => distrust())
afterEach(endAll)

const check = (port: number, fields: Partial<SmtpCredentials> = {}, timeoutMs = options.timeoutMs) =>
  checkAccount(providerAt(port, fields).credentials, { timeoutMs, environment: options.environment })

test.each<['starttls' | 'tls']>([['starttls'], ['tls']])(
  'a check over %s logs in and sends no message',
  async (security) => {
    const server = await startServer({ secure: security === 'tls' })
    expect(await check(server.port, { security, ...login })).toMatchObject({ ok: true, details: { security } })
    expect(await check(server.port, { security, ...login, password: 'wrong' })).toMatchObject({
      ok: false,
      code: 'smtp_535',
      message: 'The mail server refused the login with 535',
    })
    expect(server.received).toEqual([])
  },
)

test('a certificate that sending would refuse is refused', async () => {
  const server = await startServer({ secure: true })
  distrustOwnCertificate()
  expect(await check(server.port, { security: 'tls' })).toMatchObject({ ok: false, message: 'TLS failed' })
})

test('a check does not connect to a forbidden mail server', async () => {
  const server = await startServer()
  const result = await check(server.port, { host: '127.0.0.1', security: 'none' })
  expect(result).toMatchObject({ ok: false, code: 'EDESTINATION', message: 'The mail server may not be called' })
  expect(server.connections).toBe(0)
})

test('a server that trickles its replies is abandoned at the deadline, and one that is down is reported as such', async () => {
  const port = await startScript((command) => (command === 'CONNECT' ? '220-wait' : polite[command]))
  const started = performance.now()
  expect(await check(port, { security: 'none' }, impatientMs)).toMatchObject({ ok: false })
  expect(performance.now() - started).toBeLessThan(10_000)
  expect(await check(await closedPort(), { security: 'none' })).toMatchObject({ ok: false, code: 'ECONNREFUSED' })
})
