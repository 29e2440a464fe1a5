import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac, createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import {
  eventually,
  machineEnvironment,
  mintOperatorToken,
  type PortBlock,
  reservePortBlock,
  TestEnv,
} from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'

const root = join(import.meta.dirname, '../../..')
const audience = 'urn:our:api'
const tenantClaim = 'https://notify.example/tenant'
const tenant = newId('ten')
const client = { client_id: 'somebody', client_secret: 'a-secret-of-some-length' }
const permissions = ['audit:read', 'offline_access', 'usage:read']
/** As Keycloak and Auth0 name them. */
const claims = { [tenantClaim]: tenant, realm_access: { roles: permissions } }

type Jwk = JsonWebKey & { kid: string }
const newJwk = (kid: string): Jwk => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' } as Jwk
}
const first = newJwk('first')
const second = newJwk('second')

let env: TestEnv
let ports: PortBlock
let issuer: string
let provider: ChildProcess | undefined

beforeAll(async () => {
  ports = await reservePortBlock()
  issuer = `http://127.0.0.1:${ports.base}`
  await startProvider([first])
  env = await TestEnv.start(['gateway'], {
    env: {
      gateway: {
        OIDC_ISSUER: issuer,
        OIDC_AUDIENCE: audience,
        OIDC_TENANT_CLAIM: tenantClaim,
        OIDC_PERMISSIONS_CLAIM: 'realm_access.roles',
      },
    },
  })
})
afterAll(async () => {
  await env?.stop()
  await stopProvider()
  await ports.release()
})

async function startProvider(keys: readonly Jwk[]): Promise<void> {
  const clients = [{ ...client, tenant_id: 'ten_unused', permissions: ['activity:read'], claims }]
  provider = spawn(process.execPath, [join(root, 'packages/dev-env/src/identity-provider/main.ts')], {
    env: {
      ...machineEnvironment(),
      PORT: new URL(issuer).port,
      ISSUER: issuer,
      AUDIENCE: audience,
      IDP_JWKS: JSON.stringify({ keys }),
      IDP_CLIENTS: JSON.stringify(clients),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await eventually(async () => expect((await fetch(`${issuer}/readyz`)).status).toBe(200))
}

async function stopProvider(): Promise<void> {
  if (!provider || provider.exitCode !== null) return
  provider.kill()
  await once(provider, 'exit')
}

const me = (token: string) => env.api('GET', '/api/v1/me', { token })

/** A token that the provider would not sign. */
function forged(changes: object = {}, header: object = {}, signed?: (text: string) => string): string {
  const now = Math.floor(Date.now() / 1000)
  const payload = { iss: issuer, aud: audience, sub: 'somebody', iat: now, exp: now + 600, ...claims, ...changes }
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode({ alg: 'ES256', kid: 'first', typ: 'at+jwt', ...header })}.${encode(payload)}`
  const key = createPrivateKey({ key: { ...first }, format: 'jwk' })
  const bySigner = () => sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  return `${text}.${signed ? signed(text) : bySigner()}`
}

const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset
const { d: _, ...publicKey } = first

test('any issuer is configured by name: claims in a namespace and in a path, and names that mean nothing here', async () => {
  const { status, body } = await me(await mintOperatorToken(issuer, client))
  expect(status).toBe(200)
  expect(body).toMatchObject({ kind: 'operator', tenant_id: tenant, tenant_name: null })
  expect(body.permissions).toEqual(['audit:read', 'usage:read'])
})

describe('a token is accepted', () => {
  test.each([
    ['as it is', () => forged()],
    ['30 s after its expiry, since clocks differ', () => forged({ exp: seconds(-30) })],
    ['30 s before it is valid, since clocks differ', () => forged({ nbf: seconds(30) })],
    ['for several audiences', () => forged({ aud: ['urn:other', audience] })],
  ])('%s', async (_what, token) => {
    expect((await me(token())).status).toBe(200)
  })
})

describe('a token is refused', () => {
  const hmac = (secret: string) => (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  test.each([
    ['for another audience', () => forged({ aud: 'urn:other' })],
    ['of another issuer', () => forged({ iss: 'https://issuer.example' })],
    ['without an expiry', () => forged({ exp: undefined })],
    ['90 s after its expiry', () => forged({ exp: seconds(-90) })],
    ['90 s before it is valid', () => forged({ nbf: seconds(90) })],
    ['with alg none', () => forged({}, { alg: 'none' }, () => '')],
    ['with alg HS256 and the public key', () => forged({}, { alg: 'HS256' }, hmac(JSON.stringify(publicKey)))],
    ['with a key of its own in the header', () => forged({}, { kid: 'third', jwk: newJwk('third') })],
    ['with an unknown key id', () => forged({}, { kid: 'third' })],
    ['with another signature', () => forged({}, {}, () => Buffer.alloc(64).toString('base64url'))],
  ])('%s', async (_what, token) => {
    expectProblem(await me(token()), 401, 'unauthenticated')
  })
})

test('a new key of the issuer is fetched, and tokens of the one before go on while it is published', async () => {
  const before = await mintOperatorToken(issuer, client)
  await stopProvider()
  await startProvider([second, first])
  const after = await mintOperatorToken(issuer, client)
  expect(JSON.parse(Buffer.from(after.split('.')[0]!, 'base64url').toString())).toMatchObject({ kid: 'second' })
  await eventually(async () => expect((await me(after)).status).toBe(200))
  expect((await me(before)).status).toBe(200)
})

test('while the issuer is away, known keys verify, and no token is refused for it', async () => {
  const token = await mintOperatorToken(issuer, client)
  await stopProvider()
  expect((await me(forged())).status).toBe(200)
  expect((await me(token)).status).toBe(200)
})
