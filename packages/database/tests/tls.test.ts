import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Certificates, machineEnvironment, makeCertificates, TestEnv } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { migrate } from '../src/migrations/migrate.ts'
import { openDatabase } from '../src/open.ts'
import { startProcess } from './schema.ts'

const run = promisify(execFile)
const provisioning = join(import.meta.dirname, '../src/provision-main.ts')

let env: TestEnv
let folder: string
let certificates: Certificates
let front: Server

beforeAll(async () => {
  env = await TestEnv.start([])
  folder = mkdtempSync(join(tmpdir(), 'notify-tls-'))
  certificates = await makeCertificates(folder)
  front = await startFront()
})
afterAll(async () => {
  front?.close()
  await env?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A server with TLS that passes everything to Postgres, which has none in tests. */
async function startFront(): Promise<Server> {
  const [key, cert] = [readFileSync(certificates.server.key), readFileSync(certificates.server.cert)]
  const { hostname, port } = new URL(env.stack.adminDatabaseUrl)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // The client asks for TLS first, and waits for this letter.
    socket.once('data', () => {
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, key, cert })
      const postgres = connect(Number(port), hostname)
      secure.pipe(postgres).pipe(secure)
      const close = () => {
        secure.destroy()
        postgres.destroy()
      }
      for (const end of [secure, postgres]) end.on('error', close).on('close', close)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** A URL of the stack, with TLS and a verified certificate. */
function secured(url: string, sslrootcert?: string): string {
  const secure = new URL(url)
  secure.port = String((front.address() as AddressInfo).port)
  secure.searchParams.set('sslmode', 'verify-full')
  if (sslrootcert !== undefined) secure.searchParams.set('sslrootcert', sslrootcert)
  return secure.href
}

const advice = /its certificate is of an unknown authority, \w+: sslrootcert in the URL must name the file/

test('a server whose certificate an own authority has signed is used when the URL names the authority', async () => {
  const { kit, db } = await startProcess(env, { url: secured(env.stack.databaseUrl('consent'), certificates.ca) })
  expect(await db.run('select current_user as role')).toEqual([{ role: 'consent' }])
  await kit.stop()
})

test('without the authority a service refuses the server, and names the parameter that its URL lacks', async () => {
  const kit = createTestKit('consent')
  const config = { DATABASE_URL: secured(env.stack.databaseUrl('consent')), DATABASE_POOL_SIZE: 1 }
  const opening = openDatabase(kit, { config })
  await expect(opening).rejects.toThrow(advice)
  const migrating = migrate(kit, { config, schema: 'consent', migrations: [] })
  await expect(migrating).rejects.toThrow(advice)
  await kit.stop()
})

test('without the authority the provisioning refuses the server, and names the parameter that its URL lacks', async () => {
  const provision = run(process.execPath, [provisioning], {
    env: {
      ...machineEnvironment(),
      ADMIN_DATABASE_URL: secured(env.stack.adminDatabaseUrl),
      CONSENT_DATABASE_PASSWORD: 'x',
    },
  })
  await expect(provision).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(advice) })
})
