import { createPublicKey, verify } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { readConfig } from '@notify/carrier-sandbox'
import { kinds } from '@notify/carriers/kinds'
import { BootstrapDocument, DispatchRequest, KeyPermission, OperatorPermission } from '@notify/contracts'
import { parseApiKey, parseKey, parseKeyRing } from '@notify/privacy'
import { containers, environmentOf } from './compose-file.ts'
import { ComposeSecrets } from './compose-secrets.ts'
import { makeEnvironment, readMade, runMakeEnv } from './make-environment.ts'

const folder = mkdtempSync(join(tmpdir(), 'make-env-'))
const { status, stdout: output } = runMakeEnv(folder)
const { values, bootstrap, bootstrapFile } = readMade(folder)
const document = BootstrapDocument.parse(bootstrap)
const apiKey = /sk_live_\w+/.exec(output)![0]

/** What the containers read with this .env. */
const secrets = new ComposeSecrets()
expect(secrets.run({ ...values, BOOTSTRAP_FILE: bootstrapFile }).stderr).toBe('')

afterAll(() => {
  rmSync(folder, { recursive: true })
  secrets.remove()
})

test('the secrets are for the eyes of their owner', () => {
  expect(status).toBe(0)
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
  // The container's user reads the file itself; nobody else gets past the folder.
  expect(statSync(join(folder, '.local/compose')).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, '.local/compose/bootstrap.json')).mode & 0o777).toBe(0o644)
})

test('existing secrets are never overwritten', () => {
  const before = readFileSync(join(folder, '.env'), 'utf8')
  expect(runMakeEnv(folder)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('exist already') })
  expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(before)
})

test('a folder that cannot be written leaves no half of it', () => {
  const other = mkdtempSync(join(tmpdir(), 'make-env-'))
  mkdirSync(join(other, '.env'))
  expect(runMakeEnv(other).status).toBe(1)
  expect(() => statSync(join(other, '.local'))).toThrow()
  rmSync(other, { recursive: true })
})

test('every variable that compose requires is written, and no two runs write the same secret', () => {
  const given = Object.entries(containers.secrets!.environment!).filter(([name, value]) => value === `\${${name}:-}`)
  const required = [...given.map(([name]) => name), 'BOOTSTRAP_FILE']
  expect(Object.keys(values).sort()).toEqual(required.sort())
  const { values: again, remove } = makeEnvironment()
  remove()
  expect(Object.keys(values).filter((name) => values[name] === again[name])).toEqual(['BOOTSTRAP_FILE'])
  expect(new Set(Object.values(values)).size).toBe(Object.keys(values).length)
})

test('keys have the form and the length that the services read', () => {
  const ring = parseKeyRing(values.ENCRYPTION_KEYS!)
  expect(ring.decrypt(ring.encrypt('text', 'aad'), 'aad')).toBe('text')
  expect(parseKey(values.BLIND_INDEX_KEY!)).toHaveLength(32)
  expect(parseKey(values.FINGERPRINT_KEY!)).toHaveLength(32)
})

test('the published keys are the public halves of the signing keys, named by their services, and nothing private', () => {
  const signers = {
    gateway: values.PRINCIPAL_SIGNING_KEY!,
    otp: values.OTP_SIGNING_KEY!,
    dispatch: values.DISPATCH_SIGNING_KEY!,
    callbacks: values.CALLBACKS_SIGNING_KEY!,
    'inbox-stream': values.INBOX_STREAM_SIGNING_KEY!,
    'webhook-delivery': values.WEBHOOK_DELIVERY_SIGNING_KEY!,
  }
  const published = Object.entries(signers).map(([service, text]) => {
    const { d, ...publicHalf } = JSON.parse(text)
    expect(d).toEqual(expect.any(String))
    const kid = expect.stringMatching(new RegExp(`^${service}-`))
    expect(publicHalf).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', kid })
    return publicHalf
  })
  expect(JSON.parse(values.PRINCIPAL_JWKS!)).toEqual({ keys: published })
})

test('the API key is a real one, of which the document knows only the hash', () => {
  const parsed = parseApiKey(apiKey)
  const [key] = document.api_keys
  expect([key?.key_id, key?.sha256]).toEqual([parsed?.keyId, parsed?.sha256])
  expect(JSON.stringify(bootstrap)).not.toContain(apiKey)
  expect(JSON.stringify(values)).not.toContain(apiKey)
  expect(key?.permissions).toEqual(KeyPermission.options)
})

test('the document sends SMS to the sandbox under its account', () => {
  const [provider] = document.providers
  expect(provider).toMatchObject({
    channel: 'sms',
    kind: 'twilio',
    credentials: { account_sid: values.TWILIO_ACCOUNT_SID, auth_token: values.TWILIO_AUTH_TOKEN },
  })
})

test('the document sends email to the sandbox, which tells of it where callbacks believes it', async () => {
  const provider = document.providers.find(({ kind }) => kind === 'ses')!
  const credentials = kinds.ses.credentials.parse(provider.credentials)
  const sandbox = readConfig(secrets.environmentOf(containers['carrier-sandbox']!))
  expect(sandbox.sesAccounts).toContainEqual({
    accessKeyId: credentials.access_key_id,
    secretAccessKey: credentials.secret_access_key,
  })
  expect([credentials.configuration_set, credentials.topic_arns]).toEqual([
    sandbox.sesConfigurationSet,
    sandbox.sesTopicArn,
  ])
  const { environment: gateway } = containers.gateway!
  expect(sandbox.sesEventsUrl).toBe(`http://gateway:${gateway!.PORT}/api/v1/callbacks/email/${provider.provider_id}`)
  expect(containers.callbacks!.environment!.SNS_CERTIFICATE_HOSTS).toBe(sandbox.publicUrl)
  for (const name of ['dispatch-api', 'dispatch-worker', 'dispatch-sender'] as const) {
    expect(containers[name]!.environment).toMatchObject({
      SES_API_URL: `${sandbox.publicUrl}/ses`,
      DNS_SERVERS: `carrier-sandbox:${sandbox.dnsPort}`,
      SPF_INCLUDE: sandbox.spfInclude,
    })
  }
})

test('the request that is suggested fits the API and the document', () => {
  const body = JSON.parse(/-d '(.*)'/.exec(output)![1]!)
  expect(DispatchRequest.safeParse(body).error?.issues).toBeUndefined()
  const event = document.events.find(({ event_key }) => event_key === body.event_key)!
  expect([event.status, Object.keys(event.templates)]).toEqual(['published', expect.arrayContaining(['sms', 'email'])])
})

test("the operator's token is one that the demo's identity provider vouches for", () => {
  const [head, body, signature] = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(output)![0].split('.') as [string, string, string]
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const { keys } = JSON.parse(values.IDP_JWKS!)
  const jwk = keys.find(({ kid }: { kid: string }) => kid === read(head).kid)
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${head}.${body}`)
  expect(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))).toBe(true)
  const environment = environmentOf(containers['identity-provider']!, values)
  expect(read(body)).toMatchObject({
    iss: environment.ISSUER,
    aud: environment.AUDIENCE,
    tenant_id: document.tenants[0]!.tenant_id,
    permissions: OperatorPermission.options,
  })
  expect(environmentOf(containers.gateway!, values)).toMatchObject({
    OIDC_ISSUER: environment.ISSUER,
    OIDC_AUDIENCE: environment.AUDIENCE,
  })
})
