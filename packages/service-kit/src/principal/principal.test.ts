import { beforeAll, expect, test } from '@jest/globals'
import type { KeyPrincipal, OperatorPrincipal } from '@notify/contracts'
import { newId } from '@notify/contracts'
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK, SignJWT } from 'jose'
import { createPrincipalSigner, principalIssuer, principalLifetimeSeconds } from './sign.ts'
import { createPrincipalVerifier } from './verify.ts'

const key: KeyPrincipal = {
  kind: 'key',
  key_id: newId('key'),
  mode: 'live',
  tenant_id: newId('ten'),
  application_id: newId('app'),
  permissions: ['notifications:send'],
}
const operator: OperatorPrincipal = {
  kind: 'operator',
  subject: 'ada',
  tenant_id: newId('ten'),
  permissions: ['activity:read'],
}

let pair: Awaited<ReturnType<typeof generateKeyPair>>
let privateJwk: JWK
let jwks: JSONWebKeySet

beforeAll(async () => {
  ;({ pair, privateJwk, jwks } = await newKey('gateway-1'))
})

async function newKey(kid: string) {
  const made = await generateKeyPair('ES256', { extractable: true })
  const publicJwk = { ...(await exportJWK(made.publicKey)), kid, alg: 'ES256' }
  return {
    pair: made,
    privateJwk: { ...(await exportJWK(made.privateKey)), kid } as JWK,
    jwks: { keys: [publicJwk] } as JSONWebKeySet,
  }
}

/** A token that is right but for what is given. */
function forged({
  issuer = principalIssuer,
  typ = 'principal+jwt',
  expires = '60s' as string | number,
  by = pair.privateKey,
  principal = key as unknown,
} = {}): Promise<string> {
  return new SignJWT({ principal })
    .setProtectedHeader({ alg: 'ES256', kid: 'gateway-1', typ })
    .setIssuer(issuer)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(by)
}

test.each([key, operator])('what the gateway signed is known again: $kind', async (principal) => {
  const sign = await createPrincipalSigner(privateJwk)
  const verify = createPrincipalVerifier(jwks)
  expect(await verify(await sign(principal))).toEqual(principal)
})

test('the same caller gets the same token for a while, another caller another one', async () => {
  const sign = await createPrincipalSigner(privateJwk)
  expect(await sign({ ...key })).toBe(await sign({ ...key }))
  expect(await sign(operator)).not.toBe(await sign(key))
  expect(await sign({ ...key, permissions: [] })).not.toBe(await sign(key))
})

test('a token is good for two minutes', async () => {
  const sign = await createPrincipalSigner(privateJwk)
  const payload = JSON.parse(Buffer.from((await sign(key)).split('.')[1]!, 'base64url').toString())
  expect(payload.exp - payload.iat).toBe(principalLifetimeSeconds)
})

test('a token is checked once: the second time it is the same answer', async () => {
  const verify = createPrincipalVerifier(jwks)
  const token = await forged()
  expect(await verify(token)).toBe(await verify(token))
})

test.each<[string, () => Promise<string | undefined>]>([
  ['no token', async () => undefined],
  ['an empty one', async () => ''],
  ['text that is no token', async () => 'principal'],
  ['an expired one', () => forged({ expires: Math.floor(Date.now() / 1000) - 1 })],
  ['one of another issuer', () => forged({ issuer: 'somebody' })],
  ['one of another kind', () => forged({ typ: 'at+jwt' })],
  ['one signed by another key under the same name', async () => forged({ by: (await newKey('x')).pair.privateKey })],
  ['one whose payload was changed', async () => tampered(await forged())],
  ['one without a signature', async () => unsigned(await forged())],
  ['one that never expires', () => eternal()],
])('%s is refused with unauthenticated', async (_what, token) => {
  const verify = createPrincipalVerifier(jwks)
  const text = await token()
  for (let i = 0; i < 2; i++) await expect(verify(text)).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('permissions and fields that this release does not know grant nothing and are no error', async () => {
  const verify = createPrincipalVerifier(jwks)
  for (const principal of [key, operator]) {
    const newer = { ...principal, permissions: ['parcels:ship', ...principal.permissions], region: 'north' }
    expect(await verify(await forged({ principal: newer }))).toEqual(principal)
  }
})

test('a kind of caller that this release does not know is to be sent to another replica', async () => {
  const verify = createPrincipalVerifier(jwks)
  const token = await forged({ principal: { kind: 'robot', tenant_id: newId('ten') } })
  for (let i = 0; i < 2; i++) {
    await expect(verify(token)).rejects.toMatchObject({ code: 'service_unavailable', headers: { 'Retry-After': '1' } })
  }
})

test('a token that was good is refused once its time is over, remembered or not', async () => {
  const verify = createPrincipalVerifier(jwks)
  // One to two seconds from now.
  const token = await forged({ expires: Math.floor(Date.now() / 1000) + 2 })
  expect(await verify(token)).toEqual(key)
  const refused = async () => {
    for (;;) {
      await verify(token)
      await new Promise(setImmediate)
    }
  }
  await expect(refused()).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('of two keys in the set either may have signed, so that keys can be rotated', async () => {
  const next = await newKey('gateway-2')
  const verify = createPrincipalVerifier({ keys: [...jwks.keys, ...next.jwks.keys] })
  for (const jwk of [privateJwk, next.privateJwk]) {
    const sign = await createPrincipalSigner(jwk)
    expect(await verify(await sign(key))).toEqual(key)
  }
})

async function tampered(token: string): Promise<string> {
  const [header, payload = '', signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  claims.principal.tenant_id = newId('ten')
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
}

async function unsigned(token: string): Promise<string> {
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'principal+jwt' })).toString('base64url')
  return `${header}.${token.split('.')[1]}.`
}

function eternal(): Promise<string> {
  return new SignJWT({ principal: key })
    .setProtectedHeader({ alg: 'ES256', kid: 'gateway-1', typ: 'principal+jwt' })
    .setIssuer(principalIssuer)
    .sign(pair.privateKey)
}
