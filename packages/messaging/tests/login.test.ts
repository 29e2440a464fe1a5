import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  type Certificates,
  eventually,
  makeCertificates,
  type PortBlock,
  reservePortBlock,
  type Server,
  startConfigured,
} from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { connectBus } from '../src/connect.ts'
import { readNatsLogin } from '../src/nats-login.ts'
import { makeCredentials } from './make-credentials.ts'

type Variables = Parameters<typeof readNatsLogin>[0]

let folder: string
let ports: PortBlock
let certificates: Certificates
const servers: Server[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'notify-login-'))
  ports = await reservePortBlock()
  certificates = await makeCertificates(join(folder, 'tls'))
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await ports.release()
  rmSync(folder, { recursive: true })
})

/** Starts nats-server with these settings; returns its port. */
async function startServer(settings: string): Promise<number> {
  const port = ports.base + servers.length
  const own = join(folder, `server-${port}`)
  const file = `${own}.conf`
  writeFileSync(file, `listen: "127.0.0.1:${port}"\n${settings}\n`)
  servers.push(await startConfigured('nats-server', { args: ['--config', file], port, folder: own }))
  return port
}

/** Connects as a service does, and makes a round trip. */
async function logIn(variables: Variables): Promise<void> {
  const kit = createTestKit('otp')
  try {
    const { connection } = await connectBus(kit, { login: readNatsLogin(variables), requiredForReady: false })
    await connection.flush()
  } finally {
    await kit.stop()
    expect(JSON.stringify(kit.lines)).not.toContain('s3cret')
  }
}

const users = 'authorization { users: [ { user: "otp", password: "s3cret:/@1" } ] }'

test('a user is accepted; a wrong password, an unknown user and no login are refused, in one line without the secret', async () => {
  const port = await startServer(users)
  const address = `127.0.0.1:${port}`
  await logIn({ NATS_URL: `nats://otp:s3cret%3A%2F%401@${address}` })
  await logIn({ NATS_URL: `nats://${address}`, NATS_USER: 'otp', NATS_PASSWORD: 's3cret:/@1' })
  const refusal = (who: string) => new Error(`NATS at ${address} refuses the login of ${who}`)
  await expect(logIn({ NATS_URL: `nats://otp:s3cret-no@${address}` })).rejects.toThrow(refusal('user otp'))
  await expect(logIn({ NATS_URL: `nats://eve:s3cret@${address}` })).rejects.toThrow(refusal('user eve'))
  await expect(logIn({ NATS_URL: `nats://s3cret@${address}` })).rejects.toThrow(refusal('a token'))
  await expect(logIn({ NATS_URL: `nats://${address}` })).rejects.toThrow(refusal('nobody'))
})

test('a token is accepted', async () => {
  const port = await startServer('authorization { token: "s3cret" }')
  await logIn({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_TOKEN: 's3cret' })
  await logIn({ NATS_URL: `nats://s3cret@127.0.0.1:${port}` })
})

test('a credentials file is accepted, and one with another key is refused', async () => {
  const { settings, credentials, forged } = makeCredentials()
  const port = await startServer(settings)
  const file = join(folder, 'otp.creds')
  writeFileSync(file, credentials)
  await logIn({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_CREDS: file })
  writeFileSync(file, forged)
  await expect(logIn({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_CREDS: file })).rejects.toThrow(
    `refuses the login of the credentials in ${file}`,
  )
})

test('while the credentials file is missing, connecting is retried', async () => {
  const { settings, credentials } = makeCredentials()
  const port = await startServer(settings)
  const server = servers.at(-1)!
  const file = join(folder, 'renewed.creds')
  writeFileSync(file, credentials)
  const kit = createTestKit('otp')
  const login = readNatsLogin({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_CREDS: file })
  const { connection } = await connectBus(kit, { login, requiredForReady: true })
  kit.health.setReady(true)
  const refusals = () => kit.lines.filter(({ msg }) => msg === 'NATS refuses')
  rmSync(file)
  await server.restart()
  await eventually(() => expect(refusals()).toEqual([expect.objectContaining({ login: login.identity })]))
  expect(await kit.health.failures()).toEqual(['nats'])
  writeFileSync(file, credentials)
  await eventually(async () => expect(await kit.health.failures()).toEqual([]))
  await connection.flush()
  await kit.stop()
})

test('over TLS the server shows a certificate of the named authority, and the client its own', async () => {
  const { ca, server, client } = certificates
  const tls = `tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ca}", verify: true }`
  const port = await startServer(`${users}\n${tls}`)
  const variables = { NATS_URL: `tls://otp:s3cret%3A%2F%401@127.0.0.1:${port}`, NATS_CA_FILE: ca }
  await logIn({ ...variables, NATS_CERT_FILE: client.cert, NATS_KEY_FILE: client.key })
  const certificate = /certificate/
  const { NATS_CA_FILE: _, ...withoutCa } = variables
  await waitsFor({ ...withoutCa, NATS_CERT_FILE: client.cert, NATS_KEY_FILE: client.key }, certificate)
})

test('tls:// never falls back to an unencrypted connection', async () => {
  const port = await startServer(users)
  await waitsFor({ NATS_URL: `tls://otp:s3cret%3A%2F%401@127.0.0.1:${port}` }, /does not support 'tls'/)
})

/** Expects the login to wait and to log this reason, without a secret. */
async function waitsFor(variables: Variables, reason: RegExp): Promise<void> {
  const kit = createTestKit('otp')
  const connecting = connectBus(kit, { login: readNatsLogin(variables), requiredForReady: false })
  connecting.catch(() => {})
  const waiting = expect.objectContaining({ reason: expect.stringMatching(reason) })
  await eventually(() => expect(kit.lines).toContainEqual(waiting))
  await kit.stop()
  await expect(connecting).rejects.toThrow('stopped while waiting for NATS')
  expect(JSON.stringify(kit.lines)).not.toContain('s3cret')
}

test('a login that is refused later is reported once, and retried until it is accepted', async () => {
  const settings = 'authorization { users: [ { user: "otp", password: "first-s3cret" } ] }'
  const port = await startServer(settings)
  const kit = createTestKit('otp')
  const login = readNatsLogin({ NATS_URL: `nats://otp:first-s3cret@127.0.0.1:${port}` })
  await connectBus(kit, { login, requiredForReady: true })
  kit.health.setReady(true)
  const server = servers.at(-1)!
  const file = join(folder, `server-${port}.conf`)
  writeFileSync(file, `listen: "127.0.0.1:${port}"\n${settings.replace('first', 'second')}\n`)
  await server.restart()
  const refusals = () => kit.lines.filter(({ msg }) => msg === 'NATS refuses')
  await eventually(() => expect(refusals()).toHaveLength(1))
  expect(await kit.health.failures()).toEqual(['nats'])
  writeFileSync(file, `listen: "127.0.0.1:${port}"\n${settings}\n`)
  await server.restart()
  await eventually(async () => expect(await kit.health.failures()).toEqual([]))
  expect(refusals()).toHaveLength(1)
  expect(JSON.stringify(kit.lines)).not.toContain('s3cret')
  await kit.stop()
})
