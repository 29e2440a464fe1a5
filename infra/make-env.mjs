// Writes what `docker compose up` needs, with new secrets: .env, and the document that the installation starts with.
//
//   node infra/make-env.mjs [folder]      the folder of docker-compose.yml unless given
//
// Plain JavaScript without dependencies: it runs before anything is installed, on Node 20.15 or later.
import { createHash, generateKeyPairSync, randomBytes, randomInt, sign } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'

const services = ['gateway', 'dispatch', 'otp', 'consent', 'inbox-stream', 'callbacks', 'webhook-delivery']
const keyPermissions = [
  'notifications:send',
  'notifications:read',
  'otp:send',
  'otp:verify',
  'otp:custom_code',
  'inbox:token',
  'domains:manage',
  'webhooks:manage',
]
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
// As in docker-compose.yml.
const issuer = `http://127.0.0.1:${process.env.IDENTITY_PROVIDER_PORT || 8081}`
const audience = 'urn:notify:api'
const tokenDays = 30
const sharedWebhook = 'http://gateway:8080/api/v1/callbacks/cloud/shared'

const folder = resolve(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url))))
const envFile = join(folder, '.env')
const bootstrapFile = join(folder, '.local', 'compose', 'bootstrap.json')

const existing = [envFile, bootstrapFile].filter((file) => existsSync(file))
if (existing.length > 0) {
  console.error(`${existing.join(' and ')} exist already, and the data of earlier starts needs them: nothing was changed.
To begin anew: docker compose down --volumes, delete them, and run this again.`)
  process.exitCode = 1
} else {
  writeAll()
}

function writeAll() {
  const signingKey = makeSigningKey('gateway')
  const otpSigningKey = makeSigningKey('otp')
  const dispatchSigningKey = makeSigningKey('dispatch')
  const identityKey = makeSigningKey('identity-provider')
  const userTokenKey = makeSigningKey('user-tokens')
  const tenantId = makeId('ten')
  const twilio = { account_sid: `AC${randomBytes(16).toString('hex')}`, auth_token: randomBytes(16).toString('hex') }
  const ses = {
    access_key_id: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secret_access_key: randomBytes(30).toString('base64url'),
  }
  const meta = {
    phone_number_id: graphId(),
    business_account_id: graphId(),
    access_token: `EAA${randomBytes(30).toString('hex')}`,
  }
  const appSecret = randomBytes(16).toString('hex')
  const providerIds = { twilio: makeId('prov'), ses: makeId('prov'), whatsapp_cloud: makeId('prov') }
  const apiKey = mintApiKey()
  const client = {
    client_id: 'demo-operator',
    client_secret: password(),
    tenant_id: tenantId,
    permissions: operatorPermissions,
  }

  const env = {
    POSTGRES_PASSWORD: password(),
    ...passwords(services, 'DATABASE_PASSWORD'),
    ...passwords([...services, 'admin'], 'NATS_PASSWORD'),
    REDIS_PASSWORD: password(),
    ENCRYPTION_KEYS: `k${randomBytes(3).toString('hex')}:${key()}`,
    GATEWAY_ENCRYPTION_KEYS: `k${randomBytes(3).toString('hex')}:${key()}`,
    BLIND_INDEX_KEY: key(),
    FINGERPRINT_KEY: key(),
    PRINCIPAL_SIGNING_KEY: JSON.stringify(signingKey),
    OTP_SIGNING_KEY: JSON.stringify(otpSigningKey),
    DISPATCH_SIGNING_KEY: JSON.stringify(dispatchSigningKey),
    PRINCIPAL_JWKS: JSON.stringify({ keys: [signingKey, otpSigningKey, dispatchSigningKey].map(publicHalf) }),
    USER_TOKEN_KEYS: JSON.stringify({ keys: [userTokenKey] }),
    TWILIO_ACCOUNT_SID: twilio.account_sid,
    TWILIO_AUTH_TOKEN: twilio.auth_token,
    SES_ACCESS_KEY_ID: ses.access_key_id,
    SES_SECRET_ACCESS_KEY: ses.secret_access_key,
    SES_PROVIDER_ID: providerIds.ses,
    SERVICE_CLOUD_APP_SECRET: appSecret,
    SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN: password(),
    META_NUMBERS: JSON.stringify([{ ...meta, app_secret: appSecret, webhook_url: sharedWebhook }]),
    IDP_JWKS: JSON.stringify({ keys: [identityKey] }),
    IDP_CLIENTS: JSON.stringify([client]),
  }
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`)

  // The folder is the owner's alone, and the file readable: the process in the container is another user.
  mkdirSync(dirname(dirname(bootstrapFile)), { recursive: true })
  mkdirSync(dirname(bootstrapFile), { recursive: true, mode: 0o700 })
  const document = bootstrap({
    tenantId,
    apiKey,
    providers: demoProviders(tenantId, providerIds, { twilio, ses, meta }),
  })
  writeFileSync(bootstrapFile, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o644, flag: 'wx' })
  writeFileSync(envFile, `# Made by infra/make-env.mjs; infra/env.example explains it.\n${lines.join('')}`, {
    mode: 0o600,
    flag: 'wx',
  })

  console.log(`Wrote ${envFile} and ${bootstrapFile}.

API key, shown this once:
  ${apiKey.text}
Operator's token, good for ${tokenDays} days, shown this once:
  ${mintOperatorToken(identityKey, client)}

Next: docker compose up --build --detach, then

  curl --retry 30 --retry-all-errors http://127.0.0.1:8080/api/v1/notifications -H 'Content-Type: application/json' \\
    -H 'Authorization: Bearer ${apiKey.text}' \\
    -d '{"channel":"sms","recipient":{"phone":"+15551230001"},"event_key":"order.shipped","data":{"name":"Ada","order":"1001"}}'

and open http://127.0.0.1:8088 to see what arrived. The same event goes by email: "channel":"email","recipient":"ada@example.com".
The operators' console is at http://127.0.0.1:8080/console; sign in as demo-operator.`)
}

/** The sandbox for SMS and for email; how it tells of emails is as in docker-compose.yml. */
function demoProviders(tenant_id, ids, { twilio, ses, meta }) {
  const events = { configuration_set: 'email-events', topic_arns: 'arn:aws:sns:us-east-1:123456789012:email-events' }
  const sender = { from: 'no-reply@demo-shop.example', from_name: 'Demo Shop' }
  const accounts = [
    ['sms', 'twilio', 'Twilio (sandbox)', { ...twilio, from: '+15005550006' }],
    ['email', 'ses', 'Amazon SES (sandbox)', { region: 'us-east-1', ...ses, ...sender, ...events }],
    ['whatsapp', 'whatsapp_cloud', 'WhatsApp (sandbox)', meta],
  ]
  return accounts.map(([channel, kind, name, credentials]) => {
    return { provider_id: ids[kind], tenant_id, application_id: null, channel, kind, name, priority: 1, credentials }
  })
}

/** What the installation starts with: one tenant with one application, one key, one event, and its providers. */
function bootstrap({ tenantId: tenant_id, apiKey, providers }) {
  const application_id = makeId('app')
  return {
    tenants: [{ tenant_id, name: 'Demo', rate_limit_per_second: null }],
    applications: [{ application_id, tenant_id, name: 'Demo Shop', allowed_origins: [] }],
    api_keys: [
      {
        key_id: apiKey.keyId,
        tenant_id,
        application_id,
        name: 'Demo',
        mode: 'live',
        permissions: keyPermissions,
        sha256: createHash('sha256').update(apiKey.text).digest('hex'),
        rate_limit_per_second: null,
      },
    ],
    events: [
      {
        tenant_id,
        application_id,
        event_key: 'order.shipped',
        name: 'Order shipped',
        status: 'published',
        version: 1,
        allowed_channels: ['sms', 'email', 'whatsapp'],
        templates: {
          sms: { body: 'Hi {{name}}, your order {{order}} is on its way.' },
          email: {
            subject: 'Your order {{order}} is on its way',
            body: 'Hi {{name}},\n\nyour order {{order}} has left our warehouse.',
          },
          whatsapp: {
            template_name: 'order_update',
            language: 'en_US',
            category: 'utility',
            parameters: ['{{name}}', '{{order}}'],
          },
        },
      },
    ],
    providers,
  }
}

/** An identifier of Meta's Graph API. */
function graphId() {
  return String(randomInt(10 ** 14, 2 ** 48 - 1))
}

/** A password for each user: `OTP_DATABASE_PASSWORD`. */
function passwords(users, what) {
  return Object.fromEntries(users.map((user) => [`${user.replaceAll('-', '_').toUpperCase()}_${what}`, password()]))
}

/** Stands as it is in URLs, and among the arguments of a command. */
function password() {
  return randomBytes(18).toString('hex')
}

function key() {
  return randomBytes(32).toString('base64')
}

/** Its name says whose key it is: only the gateway's vouch for callers. */
function makeSigningKey(owner) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = `${owner}-${randomBytes(8).toString('hex')}`
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }
}

function publicHalf({ d: _, ...jwk }) {
  return jwk
}

/** Digits of Crockford's base32, as identifiers and keys are written. */
function base32(value, length) {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  return Array.from({ length }, (_, i) => alphabet[Number((value >> BigInt(5 * (length - 1 - i))) & 31n)]).join('')
}

function random(length) {
  return base32(BigInt(`0x${randomBytes(length).toString('hex')}`), length)
}

function makeId(prefix) {
  return `${prefix}_${base32(BigInt(Date.now()), 10)}${random(16)}`
}

/** `sk_live_<key id><secret><checksum>`, as packages/privacy/src/api-key.ts reads it. */
function mintApiKey() {
  const keyId = makeId('key')
  const body = `sk_live_${keyId.slice('key_'.length)}${random(40)}`
  return { keyId, text: body + base32(BigInt(crc32(body)), 7) }
}

/** An access token as the identity provider would issue it; it publishes the key. */
function mintOperatorToken(jwk, { client_id, tenant_id, permissions }) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    aud: audience,
    sub: client_id,
    client_id,
    iat: issuedAt,
    exp: issuedAt + tokenDays * 24 * 60 * 60,
    jti: randomBytes(16).toString('hex'),
    tenant_id,
    permissions,
  }
  const body = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(body), { key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' })
  return `${body}.${signature.toString('base64url')}`
}
