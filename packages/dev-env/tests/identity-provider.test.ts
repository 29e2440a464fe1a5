import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { OperatorPermission } from '@notify/contracts'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { mintOperatorToken } from '../src/identity-provider/mint-operator-token.ts'
import { audience } from '../src/identity-provider/operator-clients.ts'
import { TestEnv } from '../src/test-env/test-env.ts'

const fake = 'packages/dev-env/tests/fake-service.ts'
let env: TestEnv
let issuer: string

beforeAll(async () => {
  env = await TestEnv.start(['gateway'], { entries: { gateway: fake, 'carrier-sandbox': fake } })
  issuer = env.stack.url('identity-provider')
})

afterAll(() => env.stop())

async function verify(token: string) {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`)
  const { jwks_uri } = (await response.json()) as { jwks_uri: string }
  const keys = createRemoteJWKSet(new URL(jwks_uri))
  return jwtVerify(token, keys, { issuer, audience, algorithms: ['ES256'], typ: 'at+jwt' })
}

test("an operator's token verifies against the published keys, names tenant and permissions, and lasts a year", async () => {
  const { payload } = await verify(env.operatorToken)
  expect(payload).toMatchObject({ tenant_id: env.tenantId, permissions: OperatorPermission.options })
  expect(payload.exp! - payload.iat!).toBe(365 * 24 * 3600)
})

test('the second operator may do everything but retry', async () => {
  const { payload } = await verify(env.operatorTokenNoRetry)
  expect(payload.permissions).toEqual(OperatorPermission.options.filter((name) => name !== 'activity:retry'))
})

test('tokens stay valid when the provider is restarted', async () => {
  await env.restart('identity-provider')
  await expect(verify(env.operatorToken)).resolves.toBeDefined()
})

test('a wrong client secret gets no token', async () => {
  const client = { ...env.stack.state.operator, client_secret: 'wrong' }
  await expect(mintOperatorToken(issuer, client)).rejects.toThrow(/gives no token for demo-operator: 401/)
})

test('the provider prints nothing while all is well', () => {
  expect(env.logs('identity-provider')).toBe('')
})
