import type { NatsUser, ServiceName } from '@notify/contracts'

/** An elliptic-curve key pair as JWK, the private half included. */
export interface PrivateJwk {
  kty: string
  crv: string
  x: string
  y: string
  d: string
  kid: string
  alg: 'ES256'
  use: 'sig'
}

export interface DemoKey {
  key_id: `key_${string}`
  /** The secret text; services know its SHA-256 only. */
  api_key: string
  sha256: string
}

export interface IdentityClient {
  client_id: string
  client_secret: string
}

/**
 * The secrets and identifiers of one development stack. Made at the first start and kept: a warm start finds its data
 * readable and the keys that people have pasted somewhere still working.
 */
export interface State {
  version: 1
  postgres_password: string
  service_passwords: Record<ServiceName, string>
  nats_passwords: Record<NatsUser, string>
  redis_password: string
  /** Key ring for data at rest and on the bus, as ENCRYPTION_KEYS of all services but the gateway. */
  encryption_keys: string
  /** The gateway cannot read what the other services encrypt. */
  gateway_encryption_keys: string
  blind_index_key: string
  fingerprint_key: string
  principal_signing_key: PrivateJwk
  otp_signing_key: PrivateJwk
  dispatch_signing_key: PrivateJwk
  callbacks_signing_key: PrivateJwk
  inbox_stream_signing_key: PrivateJwk
  webhook_delivery_signing_key: PrivateJwk
  identity_provider_key: PrivateJwk
  user_token_key: PrivateJwk
  operator: IdentityClient
  operator_no_retry: IdentityClient
  tenant_id: `ten_${string}`
  application_id: `app_${string}`
  twilio_provider_id: `prov_${string}`
  keys: { all: DemoKey; send_only: DemoKey; no_permissions: DemoKey }
  user_id: string
  twilio_account_sid: string
  twilio_auth_token: string
  /** Secret and verify token of the app that the demo's first WhatsApp number is connected through. */
  meta_shared_app_secret: string
  meta_verify_token: string
  meta_provider_id: `prov_${string}`
  meta_phone_number_id: string
  meta_waba_id: string
  /** The demo's second number has an app of its own. */
  meta_own_provider_id: `prov_${string}`
  meta_own_app_secret: string
  meta_own_verify_token: string
  meta_own_phone_number_id: string
  meta_own_waba_id: string
  meta_access_token: string
  ses_provider_id: `prov_${string}`
  ses_access_key_id: string
  ses_secret_access_key: string
  webhook_provider_id: `prov_${string}`
  /** `whsec_…`: what the demo's webhook provider signs with. */
  webhook_secret: string
}
