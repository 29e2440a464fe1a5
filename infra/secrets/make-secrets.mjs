import { randomBytes, randomInt } from 'node:crypto'
import { makeDocument } from './demo-document.mjs'
import { makeId, mintApiKey } from './identifiers.mjs'
import { makeSigningKey, publicHalf } from './signing-keys.mjs'

export const services = ['gateway', 'dispatch', 'otp', 'consent', 'inbox-stream', 'callbacks', 'webhook-delivery']

const operatorPermissions = [
  'activity:read',
  'activity:retry',
  'applications:manage',
  'events:manage',
  'providers:manage',
  'domains:manage',
  'webhooks:manage',
  'consents:read',
  'audit:read',
  'usage:read',
]
const sharedWebhook = 'http://gateway:8080/api/v1/callbacks/cloud/shared'

/** @returns new secrets: the variables of infra/env.example, the document of the start, and the API key in plain text */
export function makeSecrets() {
  const signingKeys = {
    gateway: makeSigningKey('gateway'),
    otp: makeSigningKey('otp'),
    dispatch: makeSigningKey('dispatch'),
  }
  const tenantId = makeId('ten')
  const apiKey = mintApiKey()
  const providers = makeProviders()
  const { twilio, ses, whatsapp } = providers
  const appSecret = randomBytes(16).toString('hex')
  const operator = {
    client_id: 'demo-operator',
    client_secret: password(),
    tenant_id: tenantId,
    permissions: operatorPermissions,
  }
  const values = {
    POSTGRES_PASSWORD: password(),
    ...passwords(services, 'DATABASE_PASSWORD'),
    ...passwords([...services, 'admin'], 'NATS_PASSWORD'),
    REDIS_PASSWORD: password(),
    ENCRYPTION_KEYS: keyRing(),
    GATEWAY_ENCRYPTION_KEYS: keyRing(),
    BLIND_INDEX_KEY: key(),
    FINGERPRINT_KEY: key(),
    PRINCIPAL_SIGNING_KEY: JSON.stringify(signingKeys.gateway),
    OTP_SIGNING_KEY: JSON.stringify(signingKeys.otp),
    DISPATCH_SIGNING_KEY: JSON.stringify(signingKeys.dispatch),
    PRINCIPAL_JWKS: JSON.stringify({ keys: Object.values(signingKeys).map(publicHalf) }),
    USER_TOKEN_KEYS: JSON.stringify({ keys: [makeSigningKey('user-tokens')] }),
    TWILIO_ACCOUNT_SID: twilio.credentials.account_sid,
    TWILIO_AUTH_TOKEN: twilio.credentials.auth_token,
    SES_ACCESS_KEY_ID: ses.credentials.access_key_id,
    SES_SECRET_ACCESS_KEY: ses.credentials.secret_access_key,
    SES_PROVIDER_ID: ses.id,
    SERVICE_CLOUD_APP_SECRET: appSecret,
    SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN: password(),
    META_NUMBERS: JSON.stringify([{ ...whatsapp.credentials, app_secret: appSecret, webhook_url: sharedWebhook }]),
    IDP_JWKS: JSON.stringify({ keys: [makeSigningKey('identity-provider')] }),
    IDP_CLIENTS: JSON.stringify([operator]),
  }
  return { values, document: makeDocument({ tenantId, apiKey, providers }), apiKey: apiKey.text }
}

/** The sandbox's account of each carrier. */
function makeProviders() {
  return {
    twilio: {
      id: makeId('prov'),
      credentials: { account_sid: `AC${randomBytes(16).toString('hex')}`, auth_token: randomBytes(16).toString('hex') },
    },
    ses: {
      id: makeId('prov'),
      credentials: {
        access_key_id: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
        secret_access_key: randomBytes(30).toString('base64url'),
      },
    },
    whatsapp: {
      id: makeId('prov'),
      credentials: {
        phone_number_id: graphId(),
        business_account_id: graphId(),
        access_token: `EAA${randomBytes(30).toString('hex')}`,
      },
    },
  }
}

/** The variable of a service's or user's password: `OTP_DATABASE_PASSWORD`. */
export function variableOf(user, what) {
  return `${user.replaceAll('-', '_').toUpperCase()}_${what}`
}

function passwords(users, what) {
  return Object.fromEntries(users.map((user) => [variableOf(user, what), password()]))
}

/** An identifier of Meta's Graph API. */
function graphId() {
  return String(randomInt(10 ** 14, 2 ** 48 - 1))
}

/** Stands as it is in URLs, and among the arguments of a command. */
function password() {
  return randomBytes(18).toString('hex')
}

function key() {
  return randomBytes(32).toString('base64')
}

function keyRing() {
  return `k${randomBytes(3).toString('hex')}:${key()}`
}
