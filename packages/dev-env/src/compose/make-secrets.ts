import {
  type BootstrapDocument,
  databasePasswordVariable,
  natsPasswordVariable,
  natsUsers,
  serviceNames,
} from '@notify/contracts'
import { operatorClients } from '../identity-provider/operator-clients.ts'
import { bootstrapDocument } from '../seed.ts'
import { makeState } from '../state/make-state.ts'
import { metaNumbers } from '../state/meta-numbers.ts'
import { principalJwks } from '../state/principal-jwks.ts'
import type { State } from '../state/state.ts'

/** What an installation of docker-compose.yml starts with. */
export interface Secrets {
  /** The variables of infra/env.example. */
  values: Record<string, string>
  document: BootstrapDocument
  /** In plain text; absent when .env gives the secrets. */
  apiKey?: string
}

/** Makes new secrets for the same demo as `npm start` has. */
export function makeSecrets(): Required<Secrets> {
  const state = makeState()
  return { values: valuesOf(state), document: bootstrapDocument(state), apiKey: state.keys.all.api_key }
}

function valuesOf(state: State): Record<string, string> {
  return {
    POSTGRES_PASSWORD: state.postgres_password,
    ...named(serviceNames, databasePasswordVariable, state.service_passwords),
    ...named(natsUsers, natsPasswordVariable, state.nats_passwords),
    REDIS_PASSWORD: state.redis_password,
    ENCRYPTION_KEYS: state.encryption_keys,
    GATEWAY_ENCRYPTION_KEYS: state.gateway_encryption_keys,
    BLIND_INDEX_KEY: state.blind_index_key,
    FINGERPRINT_KEY: state.fingerprint_key,
    PRINCIPAL_SIGNING_KEY: JSON.stringify(state.principal_signing_key),
    OTP_SIGNING_KEY: JSON.stringify(state.otp_signing_key),
    DISPATCH_SIGNING_KEY: JSON.stringify(state.dispatch_signing_key),
    CALLBACKS_SIGNING_KEY: JSON.stringify(state.callbacks_signing_key),
    INBOX_STREAM_SIGNING_KEY: JSON.stringify(state.inbox_stream_signing_key),
    WEBHOOK_DELIVERY_SIGNING_KEY: JSON.stringify(state.webhook_delivery_signing_key),
    PRINCIPAL_JWKS: principalJwks(state),
    USER_TOKEN_KEYS: JSON.stringify({ keys: [state.user_token_key] }),
    TWILIO_ACCOUNT_SID: state.twilio_account_sid,
    TWILIO_AUTH_TOKEN: state.twilio_auth_token,
    SES_ACCESS_KEY_ID: state.ses_access_key_id,
    SES_SECRET_ACCESS_KEY: state.ses_secret_access_key,
    SES_PROVIDER_ID: state.ses_provider_id,
    SERVICE_CLOUD_APP_SECRET: state.meta_shared_app_secret,
    SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN: state.meta_verify_token,
    META_NUMBERS: JSON.stringify(metaNumbers(state, 'http://gateway:8080/api/v1/callbacks')),
    IDP_JWKS: JSON.stringify({ keys: [state.identity_provider_key] }),
    IDP_CLIENTS: JSON.stringify(operatorClients(state)),
  }
}

function named<Name extends string>(
  names: readonly Name[],
  variableOf: (name: Name) => string,
  values: Readonly<Record<Name, string>>,
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [variableOf(name), values[name]]))
}
