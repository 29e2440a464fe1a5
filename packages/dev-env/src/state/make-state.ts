import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto'
import { type NatsUser, natsUsers, newId, type ServiceName, serviceNames } from '@notify/contracts'
import { mintApiKey } from '@notify/privacy'
import type { DemoKey, IdentityClient, PrivateJwk, State } from './state.ts'

/** Generates secrets and identifiers. */
export function makeState(): State {
  return {
    version: 1,
    postgres_password: secret(),
    service_passwords: Object.fromEntries(serviceNames.map((name) => [name, secret()])) as Record<ServiceName, string>,
    ...makeServerPasswords(),
    encryption_keys: keyRing(),
    gateway_encryption_keys: keyRing(),
    blind_index_key: key(),
    fingerprint_key: key(),
    principal_signing_key: signingKey('gateway'),
    ...makeServiceKeys(),
    identity_provider_key: signingKey('identity-provider'),
    operator: client('demo-operator'),
    operator_no_retry: client('demo-operator-no-retry'),
    tenant_id: newId('ten'),
    application_id: newId('app'),
    twilio_provider_id: newId('prov'),
    keys: { all: demoKey(), send_only: demoKey(), no_permissions: demoKey() },
    user_id: 'demo-user',
    twilio_account_sid: `AC${randomBytes(16).toString('hex')}`,
    twilio_auth_token: randomBytes(16).toString('hex'),
    ...makeSesState(),
    ...makeMetaState(),
    ...makeWebhookState(),
  }
}

/** Fields missing in state files older than passwords for NATS and Redis. */
export function makeServerPasswords(): Pick<State, 'nats_passwords' | 'redis_password'> {
  return {
    nats_passwords: Object.fromEntries(natsUsers.map((user) => [user, secret()])) as Record<NatsUser, string>,
    redis_password: secret(),
  }
}

type ServiceKeys = Pick<
  State,
  | 'otp_signing_key'
  | 'dispatch_signing_key'
  | 'callbacks_signing_key'
  | 'inbox_stream_signing_key'
  | 'webhook_delivery_signing_key'
  | 'user_token_key'
>

/** Fields missing in state files older than service signing keys. */
export function makeServiceKeys(): ServiceKeys {
  return {
    otp_signing_key: signingKey('otp'),
    dispatch_signing_key: signingKey('dispatch'),
    callbacks_signing_key: signingKey('callbacks'),
    inbox_stream_signing_key: signingKey('inbox-stream'),
    webhook_delivery_signing_key: signingKey('webhook-delivery'),
    user_token_key: signingKey('user-tokens'),
  }
}

/** Fields missing in state files older than email. */
export function makeSesState(): Pick<State, 'ses_provider_id' | 'ses_access_key_id' | 'ses_secret_access_key'> {
  return {
    ses_provider_id: newId('prov'),
    ses_access_key_id: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    ses_secret_access_key: randomBytes(30).toString('base64'),
  }
}

type MetaState = Pick<State, Extract<keyof State, `meta_${string}`>>

/** Fields missing in state files older than WhatsApp. */
export function makeMetaState(): MetaState {
  return {
    meta_shared_app_secret: randomBytes(16).toString('hex'),
    meta_verify_token: secret(),
    meta_provider_id: newId('prov'),
    meta_phone_number_id: digits(),
    meta_waba_id: digits(),
    meta_own_provider_id: newId('prov'),
    meta_own_app_secret: randomBytes(16).toString('hex'),
    meta_own_verify_token: secret(),
    meta_own_phone_number_id: digits(),
    meta_own_waba_id: digits(),
    meta_access_token: `EAA${randomBytes(30).toString('hex')}`,
  }
}

/** An identifier of the Graph API. */
function digits(): string {
  return String(randomInt(10 ** 14, 2 ** 48 - 1))
}

/** Fields missing in state files older than webhooks. */
export function makeWebhookState(): Pick<State, 'webhook_provider_id' | 'webhook_secret'> {
  return { webhook_provider_id: newId('prov'), webhook_secret: `whsec_${key()}` }
}

/** Hexadecimal, because it stands as it is in URLs, and among the arguments of a command. */
function secret(): string {
  return randomBytes(18).toString('hex')
}

function key(): string {
  return randomBytes(32).toString('base64')
}

/** `<key id>:<key>`, as `parseKeyRing` reads it. */
function keyRing(): string {
  return `dev${randomBytes(2).toString('hex')}:${key()}`
}

function client(client_id: string): IdentityClient {
  return { client_id, client_secret: secret() }
}

function demoKey(): DemoKey {
  const key_id = newId('key')
  const { apiKey, sha256 } = mintApiKey('live', key_id)
  return { key_id, api_key: apiKey, sha256 }
}

function signingKey(owner: string): PrivateJwk {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = privateKey.export({ format: 'jwk' }) as Pick<PrivateJwk, 'kty' | 'crv' | 'x' | 'y' | 'd'>
  return { ...jwk, kid: `${owner}-${randomBytes(8).toString('hex')}`, alg: 'ES256', use: 'sig' }
}
