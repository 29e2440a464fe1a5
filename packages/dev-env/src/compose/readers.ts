import {
  databasePasswordVariable,
  natsPasswordVariable,
  type ServiceName,
  schemaOf,
  serviceNames,
} from '@notify/contracts'
import type { Secrets } from './make-secrets.ts'

type Texts = Record<string, string>

/** The files of a container, and the user who owns them. */
interface Reader {
  user: number
  files: Texts
}

/** Users of the containers that read the files; the entry point of Postgres and NATS itself run as root. */
const node = 1000
const root = 0
const redis = 999

/**
 * @param secrets the values and the document
 * @param nats texts of nats.conf and authorization.conf, which reads passwords as variables
 * @returns the files of each reader, and its user; a reader has a volume of its own
 */
export function filesOfReaders(
  { values, document }: Secrets,
  nats: { server: string; authorization: string },
): Record<string, Reader> {
  const bootstrap = { 'bootstrap.json': `${JSON.stringify(document)}\n` }
  const of = (user: number, files: Texts) => ({ user, files })
  const own = serviceNames.map((service) => [service, of(node, serviceFiles(service, values, bootstrap))])
  return {
    ...Object.fromEntries(own),
    provision: of(node, {
      ADMIN_DATABASE_URL: `postgres://postgres:${values.POSTGRES_PASSWORD}@postgres:5432/postgres`,
      ...pick(values, serviceNames.map(databasePasswordVariable)),
    }),
    'provision-streams': of(node, { NATS_PASSWORD: values[natsPasswordVariable('admin')]! }),
    'carrier-sandbox': of(node, {
      ...pick(values, ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'SES_ACCESS_KEY_ID', 'SES_SECRET_ACCESS_KEY']),
      SES_EVENTS_URL: `http://gateway:8080/api/v1/callbacks/email/${values.SES_PROVIDER_ID}`,
      META_NUMBERS: values.META_NUMBERS!,
    }),
    'identity-provider': of(node, pick(values, ['IDP_JWKS', 'IDP_CLIENTS'])),
    postgres: of(root, pick(values, ['POSTGRES_PASSWORD'])),
    nats: of(root, { 'nats.conf': nats.server, 'authorization.conf': withPasswords(nats.authorization, values) }),
    redis: of(redis, {
      REDIS_PASSWORD: values.REDIS_PASSWORD!,
      'redis.conf': `requirepass ${values.REDIS_PASSWORD}\n`,
    }),
  }
}

function serviceFiles(service: ServiceName, values: Texts, bootstrap: Texts): Texts {
  const recipients = pick(values, ['ENCRYPTION_KEYS', 'BLIND_INDEX_KEY', 'FINGERPRINT_KEY'])
  const redisUrl = { REDIS_URL: `redis://:${values.REDIS_PASSWORD}@redis:6379` }
  const own: Record<ServiceName, Texts> = {
    gateway: {
      ...recipients,
      ENCRYPTION_KEYS: values.GATEWAY_ENCRYPTION_KEYS!,
      PRINCIPAL_SIGNING_KEY: values.PRINCIPAL_SIGNING_KEY!,
      ...redisUrl,
      ...bootstrap,
    },
    dispatch: { ...recipients, SERVICE_SIGNING_KEY: values.DISPATCH_SIGNING_KEY!, ...bootstrap },
    otp: { ...recipients, SERVICE_SIGNING_KEY: values.OTP_SIGNING_KEY!, ...redisUrl },
    consent: recipients,
    'inbox-stream': {
      ...recipients,
      SERVICE_SIGNING_KEY: values.INBOX_STREAM_SIGNING_KEY!,
      USER_TOKEN_KEYS: values.USER_TOKEN_KEYS!,
      ...bootstrap,
    },
    callbacks: {
      ...pick(values, ['ENCRYPTION_KEYS', 'SERVICE_CLOUD_APP_SECRET', 'SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN']),
      SERVICE_SIGNING_KEY: values.CALLBACKS_SIGNING_KEY!,
    },
    'webhook-delivery': { ...recipients, SERVICE_SIGNING_KEY: values.WEBHOOK_DELIVERY_SIGNING_KEY! },
  }
  return {
    DATABASE_URL: `postgres://${schemaOf(service)}:${values[databasePasswordVariable(service)]}@postgres:5432/notify`,
    NATS_PASSWORD: values[natsPasswordVariable(service)]!,
    PRINCIPAL_JWKS: values.PRINCIPAL_JWKS!,
    ...own[service],
  }
}

/** Replaces the variables that nats-server would take from its environment by passwords. */
function withPasswords(text: string, values: Texts): string {
  return text.replaceAll(/\$([A-Z_]+_NATS_PASSWORD)\b/g, (_, name: string) => JSON.stringify(values[name]))
}

function pick(values: Texts, names: readonly string[]): Texts {
  return Object.fromEntries(names.map((name) => [name, values[name]!]))
}
