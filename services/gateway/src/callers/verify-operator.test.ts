import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { closedPort } from '@notify/test-kit/http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { Config } from '../config.ts'
import { createOperatorVerifier } from './verify-operator.ts'

let issuer: string
let server: Server
let published: JWK[] = []
let privateKey: CryptoKey

beforeAll(async () => {
  const pair = await generateKeyPair('ES256')
  privateKey = pair.privateKey
  published = [{ ...(await exportJWK(pair.publicKey)), kid: 'first', alg: 'ES256' }]
  server = createServer((request, response) => {
    const discovery = { jwks_uri: `${issuer}/keys` }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(request.url === '/keys' ? { keys: published } : discovery))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const configOf = (maxAgeMs: number) =>
  ({
    OIDC_ISSUER: issuer,
    OIDC_AUDIENCE: 'notify-api',
    OIDC_TENANT_CLAIM: 'tenant_id',
    OIDC_PERMISSIONS_CLAIM: 'permissions',
    OIDC_NAME_CLAIM: 'name',
    OIDC_EMAIL_CLAIM: 'email',
    OIDC_TOKEN_TYPES: ['at+jwt'],
    OIDC_KEYS_MAX_AGE: maxAgeMs,
    BLIND_INDEX_KEY: [Buffer.alloc(32, 1)],
  }) as unknown as Config

const signBy = (named: string) =>
  new SignJWT({ tenant_id: newId('ten'), permissions: [] })
    .setProtectedHeader({ alg: 'ES256', kid: 'first', typ: 'at+jwt' })
    .setIssuer(named)
    .setAudience('notify-api')
    .setSubject('ada')
    .setExpirationTime('10m')
    .sign(privateKey)

test('with OIDC_JWKS_URL the keys are read there, and the issuer itself need not be reached', async () => {
  const away = `http://127.0.0.1:${await closedPort()}`
  const verify = createOperatorVerifier({ ...configOf(600_000), OIDC_ISSUER: away, OIDC_JWKS_URL: `${issuer}/keys` })
  expect(await verify(await signBy(away))).toMatchObject({ principal: { kind: 'operator' } })
  await expect(verify(await signBy(issuer))).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('a key that the issuer removed is refused once the fetched keys are older than OIDC_KEYS_MAX_AGE', async () => {
  const token = await signBy(issuer)
  const [strict, patient] = [1, 600_000].map((maxAgeMs) => createOperatorVerifier(configOf(maxAgeMs)))
  for (const verify of [strict!, patient!])
    expect(await verify(token)).toMatchObject({ principal: { kind: 'operator' } })
  published = []
  await eventually(async () => await expect(strict!(token)).rejects.toMatchObject({ code: 'unauthenticated' }))
  expect(await patient!(token)).toMatchObject({ principal: { kind: 'operator' } })
})
