import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, createPublicKey, type JsonWebKey, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { OperatorPermission } from '@notify/contracts'
import { eventually, machineEnvironment, type PortBlock, reservePortBlock } from '@notify/dev-env'
import { containers } from './compose-file.ts'
import { ComposeSecrets } from './compose-secrets.ts'
import { root } from './project.ts'

const secrets = new ComposeSecrets()
const gatewayPort = '18080'
let ports: PortBlock | undefined
let issuer: string
let gateway: Record<string, string>
let provider: ChildProcess

beforeAll(async () => {
  ports = await reservePortBlock()
  const port = String(ports.base)
  const chosen = { GATEWAY_PORT: gatewayPort, IDENTITY_PROVIDER_PORT: port }
  expect(secrets.run(chosen).status).toBe(0)
  gateway = secrets.environmentOf(containers.gateway!, chosen)
  issuer = gateway.OIDC_ISSUER!
  const environment = secrets.environmentOf(containers['identity-provider']!, chosen)
  provider = spawn(process.execPath, [join(root, 'packages/dev-env/src/identity-provider/main.ts')], {
    // As the published port leads into the container.
    env: { ...machineEnvironment(), ...environment, HOST: '127.0.0.1', PORT: port },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await eventually(async () => expect((await fetch(`${issuer}/readyz`)).status).toBe(200), { timeoutMs: 80_000 })
})
afterAll(async () => {
  provider.kill()
  await once(provider, 'exit')
  secrets.remove()
  await ports?.release()
})

/** Follows redirects by hand, as a browser does with its cookies. @returns where it arrives */
async function browse(start: string, cookies: Map<string, string>, method = 'GET'): Promise<URL> {
  let address = new URL(start)
  for (let hops = 0; hops < 8; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(address, { method, redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      cookies.set(name!, value!)
    }
    const next = response.headers.get('location')
    if (!next) return address
    address = new URL(next, address)
    if (address.port === gatewayPort) return address
    method = 'GET'
  }
  throw new Error(`redirected too often, last to ${address}`)
}

async function discover(): Promise<Record<'issuer' | 'authorization_endpoint' | 'token_endpoint', string>> {
  return (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Awaited<
    ReturnType<typeof discover>
  >
}

/** The claims of a token that one of these keys signed. */
function claimsOf(token: string, keys: readonly JsonWebKey[]): unknown {
  const [head, body, signature] = token.split('.') as [string, string, string]
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const jwk = keys.find(({ kid }) => kid === read(head).kid)
  const key = createPublicKey({ key: jwk!, format: 'jwk' })
  const signed = Buffer.from(`${head}.${body}`)
  expect(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))).toBe(true)
  return read(body)
}

test('the browser signs in at the address that compose publishes, and the gateway reads the keys inside its network', async () => {
  expect(new URL(issuer).hostname).toBe('127.0.0.1')
  const discovered = await discover()
  expect(discovered.issuer).toBe(issuer)

  const verifier = randomBytes(32).toString('base64url')
  const redirect_uri = `http://127.0.0.1:${gatewayPort}/console/callback`
  const client_id = gateway.CONSOLE_CLIENT_ID ?? 'notify-console'
  const login = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: gateway.CONSOLE_SCOPE!,
    state: 'any',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const cookies = new Map<string, string>()
  const choice = await browse(`${discovered.authorization_endpoint}?${login}`, cookies)
  const callback = await browse(`${choice.origin}${choice.pathname}?operator=demo-operator`, cookies, 'POST')
  expect(`${callback.origin}${callback.pathname}`).toBe(redirect_uri)

  const response = await fetch(discovered.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id,
      redirect_uri,
      code: callback.searchParams.get('code')!,
      code_verifier: verifier,
    }),
  })
  const { access_token, refresh_token } = (await response.json()) as Record<string, string>
  const jwks = new URL(gateway.OIDC_JWKS_URL!)
  expect(jwks.host).toBe(`identity-provider:${containers['identity-provider']!.environment!.PORT}`)
  const { keys } = (await (await fetch(new URL(jwks.pathname, issuer))).json()) as { keys: JsonWebKey[] }
  expect(claimsOf(access_token!, keys)).toMatchObject({
    iss: issuer,
    aud: gateway.OIDC_AUDIENCE,
    tenant_id: expect.stringMatching(/^ten_/),
    permissions: OperatorPermission.options,
  })
  expect(refresh_token).toEqual(expect.any(String))
})
