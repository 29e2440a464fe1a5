import { join } from 'node:path'
import { addressVariable, type ServiceName, serviceNames } from '@notify/contracts'
import { emailEvents } from '../channels/email.ts'
import type { ConsoleLogin } from '../identity-provider/config.ts'
import { audience, consoleClientId, operatorClients } from '../identity-provider/operator-clients.ts'
import type { Ports } from '../infrastructure/ports.ts'
import { loadShared } from '../shared-modules.ts'
import { metaNumbers } from '../state/meta-numbers.ts'
import { principalJwks } from '../state/principal-jwks.ts'
import type { State } from '../state/state.ts'
import {
  isStandIn,
  type NodeProcess,
  processesOf,
  type ServiceProcess,
  type StandIn,
  serviceOf,
} from './process-names.ts'
import { baseUrl, databaseUrl, dnsServer, listener, origins, receiverUrl, type Wiring } from './wiring.ts'

interface StandInEntry {
  /** Below the project's root. */
  file: string
  environment: (wiring: Wiring) => Record<string, string>
}

/** What sending domains include in their SPF record. */
const spfInclude = '_spf.notification-service.dev'

/** Entry file and environment of each stand-in. */
const standIns: Record<StandIn, StandInEntry> = {
  'carrier-sandbox': {
    file: 'packages/carrier-sandbox/src/main.ts',
    environment: (wiring) => {
      const { state, ports } = wiring
      const callbacks = `${baseUrl(wiring, 'gateway')}/api/v1/callbacks`
      return {
        ...listener(wiring, 'carrier-sandbox'),
        TWILIO_ACCOUNT_SID: state.twilio_account_sid,
        TWILIO_AUTH_TOKEN: state.twilio_auth_token,
        TWILIO_INBOUND_URL: `${callbacks}/smsprovider/inbound`,
        SES_ACCESS_KEY_ID: state.ses_access_key_id,
        SES_SECRET_ACCESS_KEY: state.ses_secret_access_key,
        // The account that dispatch uses for test messages of providers other than SES.
        SES_ACCOUNTS: 'SANDBOXSANDBOXSANDBOX:sandbox-sandbox-sandbox',
        SES_CONFIGURATION_SET: emailEvents.configurationSet,
        SES_TOPIC_ARN: emailEvents.topicArn,
        SES_EVENTS_URL: `${callbacks}/email/${state.ses_provider_id}`,
        META_NUMBERS: JSON.stringify(metaNumbers(state, callbacks)),
        DNS_PORT: String(ports.dns),
        SPF_INCLUDE: spfInclude,
        RECEIVER_PORT: String(ports.receiver),
        RECEIVER_CERT_FILE: wiring.certificates.server.cert,
        RECEIVER_KEY_FILE: wiring.certificates.server.key,
        RECEIVER_SECRETS: state.webhook_secret,
      }
    },
  },
  'identity-provider': {
    file: 'packages/dev-env/src/identity-provider/main.ts',
    environment: (wiring) => ({
      ...listener(wiring, 'identity-provider'),
      ISSUER: baseUrl(wiring, 'identity-provider'),
      AUDIENCE: audience,
      IDP_JWKS: JSON.stringify({ keys: [wiring.state.identity_provider_key] }),
      IDP_CLIENTS: JSON.stringify(operatorClients(wiring.state)),
      IDP_CONSOLE: JSON.stringify(consoleLogin(wiring.ports)),
    }),
  },
  'demo-shop': {
    file: 'packages/demo-shop/src/main.ts',
    environment: (wiring) => ({
      ...listener(wiring, 'demo-shop'),
      API_URL: baseUrl(wiring, 'gateway'),
      API_KEY: wiring.state.keys.all.api_key,
      USER_ID: wiring.state.user_id,
    }),
  },
}

function consoleLogin({ process }: Ports): ConsoleLogin {
  const at = (path: string) => origins(process.gateway).map((origin) => `${origin}/console/${path}`)
  return {
    client_id: consoleClientId,
    redirect_uris: at('callback'),
    post_logout_redirect_uris: at(''),
    access_token_s: 600,
  }
}

/** The file that a process runs, below the project's root. */
export function fileOf(process: NodeProcess): string {
  return isStandIn(process) ? standIns[process].file : `services/${serviceOf(process)}/src/main.ts`
}

/** The environment of a process. A service gets only the variables that its `Config` declares. */
export async function environmentOf(process: NodeProcess, wiring: Wiring): Promise<Record<string, string>> {
  if (isStandIn(process)) return standIns[process].environment(wiring)
  const values = serviceValues(wiring, process)
  const names = await variablesOf(serviceOf(process))
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])))
}

/**
 * The declaration is read by its path: a package depends on no service. Only names are taken of it, so that the files of
 * tests can share it, with the thousand modules that it loads.
 */
async function variablesOf(service: ServiceName): Promise<string[]> {
  const file = join(import.meta.dirname, '../../../../services', service, 'src', 'config.ts')
  const { Config } = (await loadShared(file)) as { Config: { shape: Record<string, unknown> } }
  return Object.keys(Config.shape)
}

/** The development values of all services' variables; the others use their defaults. */
function serviceValues(wiring: Wiring, process: ServiceProcess): Record<string, string> {
  const { state, ports } = wiring
  const sandbox = baseUrl(wiring, 'carrier-sandbox')
  return {
    ...listener(wiring, process),
    ...addresses(wiring),
    LOG_LEVEL: wiring.logLevel,
    METRICS_PORT: String(ports.metrics[process]),
    DATABASE_URL: databaseUrl(wiring, serviceOf(process)),
    NATS_URL: wiring.serviceNatsUrl(serviceOf(process)),
    REDIS_URL: wiring.redisUrl,
    PUBLIC_URL: baseUrl(wiring, 'gateway'),
    DOCS_URL: `${baseUrl(wiring, 'gateway')}/docs`,
    BOOTSTRAP_FILE: wiring.bootstrapFile,
    ENCRYPTION_KEYS: process === 'gateway' ? state.gateway_encryption_keys : state.encryption_keys,
    BLIND_INDEX_KEY: state.blind_index_key,
    FINGERPRINT_KEY: state.fingerprint_key,
    PRINCIPAL_JWKS: principalJwks(state),
    PRINCIPAL_SIGNING_KEY: JSON.stringify(state.principal_signing_key),
    ...signingKeyOf(state, process),
    USER_TOKEN_KEYS: JSON.stringify({ keys: [state.user_token_key] }),
    OIDC_ISSUER: baseUrl(wiring, 'identity-provider'),
    OIDC_AUDIENCE: audience,
    CONSOLE_CLIENT_ID: consoleClientId,
    CONSOLE_SCOPE: 'openid api',
    ...dispatchRole(wiring, process),
    TWILIO_API_URL: `${sandbox}/twilio`,
    SES_API_URL: `${sandbox}/ses`,
    META_API_URL: `${sandbox}/meta`,
    CARRIER_STAND_IN_URL: sandbox,
    SERVICE_CLOUD_APP_SECRET: state.meta_shared_app_secret,
    SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN: state.meta_verify_token,
    CARRIER_SANDBOX_URL: sandbox,
    SNS_CERTIFICATE_HOSTS: sandbox,
    DNS_SERVERS: dnsServer(wiring),
    SPF_INCLUDE: spfInclude,
    // High, so that trials do not reach them; the limit per recipient stays.
    SENDS_PER_APPLICATION: '1000000',
    SENDS_PER_COUNTRY: '1000000',
    SENDS_PER_PREFIX: '1000000',
    FRAUD_CONVERSION: '0',
    WEBHOOK_EGRESS_ALLOW: `127.0.0.1:${ports.receiver}`,
    ATTACHMENT_EGRESS_ALLOW: `127.0.0.1:${ports.receiver}`,
    ATTACHMENT_CA_FILE: wiring.certificates.ca,
    WEBHOOK_CA_FILE: wiring.certificates.ca,
    WEBHOOK_SANDBOX_URL: `${receiverUrl(wiring)}/ok/test-mode`,
    // Short, so that a failing message is seen to fail soon.
    SEND_RETRY_DELAYS: '1s,2s,4s,8s',
  }
}

/** Where a sender runs, it has the urgent lanes, and the worker the others. */
function dispatchRole({ withSender }: Wiring, process: ServiceProcess): Record<string, string> {
  if (process === 'dispatch-sender') return { ROLE: 'sender', LANES: 'otp,transactional' }
  if (process === 'dispatch-worker') return { ROLE: 'worker', ...(withSender ? { LANES: 'bulk' } : {}) }
  return { ROLE: 'api' }
}

/** The key of a service that signs its own calls. */
function signingKeyOf(state: State, process: ServiceProcess): Record<string, string> {
  const keys: Partial<Record<ServiceName, object>> = {
    otp: state.otp_signing_key,
    dispatch: state.dispatch_signing_key,
    callbacks: state.callbacks_signing_key,
    'inbox-stream': state.inbox_stream_signing_key,
    'webhook-delivery': state.webhook_delivery_signing_key,
  }
  const key = keys[serviceOf(process)]
  return key ? { SERVICE_SIGNING_KEY: JSON.stringify(key) } : {}
}

/** The addresses at which services call one another. */
function addresses(wiring: Wiring): Record<string, string> {
  return Object.fromEntries(
    serviceNames.map((service) => [addressVariable(service), baseUrl(wiring, processesOf(service)[0]!)]),
  )
}
