import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { newId, type OperatorPrincipal, type ServicePrincipal } from '@notify/contracts'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK, SignJWT } from 'jose'
import { clockSkewSeconds, createPrincipalSigner, principalIssuer, principalLifetimeSeconds } from './sign.ts'
import { createPrincipalVerifier } from './verify.ts'

const key = newKeyPrincipal()
const operator: OperatorPrincipal = {
  kind: 'operator',
  subject: 'ada',
  tenant_id: newId('ten'),
  permissions: ['activity:read'],
}
const otp: ServicePrincipal = { kind: 'service', service: 'otp', permissions: ['notifications:accept'] }

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

/** A valid token except for the given fields. */
function forged({
  issuer = principalIssuer('gateway'),
  kid = 'gateway-1',
  typ = 'principal+jwt',
  /** In seconds since 1970; now by default. */
  issued = undefined as number | undefined,
  expires = '60s' as string | number,
  by = pair.privateKey,
  principal = key as unknown,
} = {}): Promise<string> {
  return new SignJWT({ principal })
    .setProtectedHeader({ alg: 'ES256', typ, ...(kid ? { kid } : {}) })
    .setIssuer(issuer)
    .setIssuedAt(issued)
    .setExpirationTime(expires)
    .sign(by)
}

test.each([key, operator])('a principal that the gateway signed is recognised: $kind', async (principal) => {
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

describe('when a clock is wrong', () => {
  afterEach(() => {
    jest.useRealTimers()
  })
  const setClock = (offsetMs: number) => {
    jest.useFakeTimers({
      now: new Date(jest.getRealSystemTime() + offsetMs),
      doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'],
    })
  }
  const minutes = 60_000

  test.each([-10, 10])('after a step of %i minutes the signer signs again, by the right clock', async (step) => {
    const sign = await createPrincipalSigner(privateJwk)
    setClock(-step * minutes)
    const wrong = await sign(key)
    setClock(0)
    expect(await sign(key)).not.toBe(wrong)
    expect(await createPrincipalVerifier(jwks)(await sign(key))).toEqual(key)
  })

  test.each([-55, 55])(
    'a token of a service whose clock differs by %i s is accepted for all of its minute',
    async (skew) => {
      // Signed a minute ago by its clock. The library has a clock of its own, which no test can set.
      const issued = Math.floor(Date.now() / 1000) - 60 + skew
      const token = await forged({ issued, expires: issued + principalLifetimeSeconds })
      expect(await createPrincipalVerifier(jwks)(token)).toEqual(key)
    },
  )
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
  ['an expired one', () => forged({ expires: Math.floor(Date.now() / 1000) - clockSkewSeconds - 1 })],
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
  // One to two seconds from now; forged again if that passed before it was verified.
  const soonOver = () => forged({ expires: Math.floor(Date.now() / 1000) - clockSkewSeconds + 2 })
  let token = ''
  let good: unknown
  for (let tries = 0; tries < 10 && !good; tries++) {
    token = await soonOver()
    good = await verify(token).catch(() => undefined)
  }
  expect(good).toEqual(key)
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

test('a key whose name begins with no service vouches for nobody', async () => {
  const nobody = await newKey('0f3a9c51e2b7d486')
  const verify = createPrincipalVerifier(nobody.jwks)
  const signers = [
    await createPrincipalSigner(nobody.privateJwk),
    await createPrincipalSigner(nobody.privateJwk, 'otp'),
  ] as const
  for (const token of [await signers[0](operator), await signers[1](otp)])
    await expect(verify(token)).rejects.toMatchObject({ code: 'unauthenticated' })
})

describe('a key of another service', () => {
  let service: Awaited<ReturnType<typeof newKey>>
  let verify: ReturnType<typeof createPrincipalVerifier>

  beforeAll(async () => {
    service = await newKey('otp-2026-11')
    verify = createPrincipalVerifier({ keys: [...jwks.keys, ...service.jwks.keys] })
  })

  /** Signed with the key of otp. */
  const signed = (token: { principal: unknown; kid?: string; issuer?: string }) =>
    forged({ by: service.pair.privateKey, kid: 'otp-2026-11', issuer: principalIssuer('otp'), ...token })

  test('vouches for its own service', async () => {
    const sign = await createPrincipalSigner(service.privateJwk, 'otp')
    expect(await verify(await sign(otp))).toEqual(otp)
  })

  test('vouches for no API key, operator or other service', async () => {
    for (const principal of [key, operator, { ...otp, service: 'consent' }, { ...otp, service: 'gateway' }]) {
      for (const issuer of [principalIssuer('otp'), principalIssuer('gateway')]) {
        await expect(verify(await signed({ principal, issuer }))).rejects.toMatchObject({ code: 'unauthenticated' })
      }
    }
  })

  test('is not taken for one of the gateway under another name, or none', async () => {
    const alone = createPrincipalVerifier(service.jwks)
    for (const kid of ['gateway-1', 'otp-2027-01', '']) {
      for (const check of [verify, alone]) {
        const token = await signed({ principal: key, kid, issuer: principalIssuer('gateway') })
        await expect(check(token)).rejects.toMatchObject({ code: 'unauthenticated' })
      }
    }
  })

  test('gives its service no permission that the service was not granted', async () => {
    const consent = await newKey('consent-1')
    const sign = await createPrincipalSigner(consent.privateJwk, 'consent')
    const token = await sign({ kind: 'service', service: 'consent', permissions: ['notifications:accept'] })
    expect(await createPrincipalVerifier(consent.jwks)(token)).toMatchObject({ service: 'consent', permissions: [] })
  })

  test('is needed: the gateway cannot sign for another service', async () => {
    await expect(verify(await forged({ principal: otp }))).rejects.toMatchObject({ code: 'unauthenticated' })
  })
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
    .setIssuer(principalIssuer('gateway'))
    .sign(pair.privateKey)
}
