import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { mintOperatorToken } from './identity-provider/mint-operator-token.ts'
import type { Stack } from './stack/stack.ts'
import { mintUserToken } from './state/mint-user-token.ts'
import { writeSecretFile } from './state/write-secret-file.ts'

/** `.local/dev.json`: all that a tool or a person needs to talk to the running system. */
export interface DevFile {
  base_url: string
  /** The live stream of the inbox, through the gateway. */
  stream_url: string
  /** The operators' console. */
  console_url: string
  sandbox_url: string
  /** A page with the inbox of the demo user; empty where the demo shop does not run. */
  demo_inbox_url: string
  openapi_url: string
  tenant_id: string
  application_id: string
  api_key: string
  api_key_send_only: string
  api_key_no_permissions: string
  operator_token: string
  operator_token_no_retry: string
  user_id: string
  user_token: string
  twilio_account_sid: string
  twilio_auth_token: string
  meta_shared_app_secret: string
  meta_verify_token: string
  meta_phone_number_id: string
  meta_waba_id: string
  meta_own_provider_id: string
  meta_own_app_secret: string
  meta_own_verify_token: string
  meta_own_phone_number_id: string
  meta_own_waba_id: string
  ses_access_key_id: string
  ses_secret_access_key: string
  /** The carrier sandbox's HTTPS receiver; it answers by path, `/ok`, `/500`, … */
  webhook_receiver_url: string
  /** Signing secret of the demo's webhook provider. */
  webhook_provider_id: string
  webhook_secret: string
  /** The carrier sandbox's DNS server, `host:port`. */
  dns_server: string
  /** Process ids, `dispatch-api` and `dispatch-worker` apart. */
  pids: Record<string, number>
  /** Base URLs of the processes. */
  urls: Record<string, string>
  metrics_urls: Record<string, string>
  /** Superuser's URL of the services' database. */
  postgres_url: string
  nats_url: string
  redis_url: string
}

/** Describes a running stack; fetches the operators' tokens. */
export async function describeStack(stack: Stack): Promise<DevFile> {
  const { state, urls } = stack
  const issuer = urls['identity-provider']
  const token = (client: typeof state.operator) => (issuer ? mintOperatorToken(issuer, client) : '')
  const [operator_token, operator_token_no_retry] = await Promise.all([
    token(state.operator),
    token(state.operator_no_retry),
  ])
  return {
    base_url: stack.url('gateway'),
    stream_url: `${stack.url('gateway')}/api/v1/in-app/stream`,
    console_url: `${stack.url('gateway')}/console`,
    sandbox_url: stack.url('carrier-sandbox'),
    demo_inbox_url: urls['demo-shop'] ? `${urls['demo-shop']}/demo/inbox` : '',
    openapi_url: `${stack.url('gateway')}/content/openapi.json`,
    tenant_id: state.tenant_id,
    application_id: state.application_id,
    api_key: state.keys.all.api_key,
    api_key_send_only: state.keys.send_only.api_key,
    api_key_no_permissions: state.keys.no_permissions.api_key,
    operator_token,
    operator_token_no_retry,
    user_id: state.user_id,
    user_token: mintUserToken(state),
    twilio_account_sid: state.twilio_account_sid,
    twilio_auth_token: state.twilio_auth_token,
    meta_shared_app_secret: state.meta_shared_app_secret,
    meta_verify_token: state.meta_verify_token,
    meta_phone_number_id: state.meta_phone_number_id,
    meta_waba_id: state.meta_waba_id,
    meta_own_provider_id: state.meta_own_provider_id,
    meta_own_app_secret: state.meta_own_app_secret,
    meta_own_verify_token: state.meta_own_verify_token,
    meta_own_phone_number_id: state.meta_own_phone_number_id,
    meta_own_waba_id: state.meta_own_waba_id,
    ses_access_key_id: state.ses_access_key_id,
    ses_secret_access_key: state.ses_secret_access_key,
    webhook_receiver_url: stack.receiverUrl,
    webhook_provider_id: state.webhook_provider_id,
    webhook_secret: state.webhook_secret,
    dns_server: stack.dnsServer,
    pids: stack.pids as Record<string, number>,
    urls: urls as Record<string, string>,
    metrics_urls: stack.metricsUrls as Record<string, string>,
    postgres_url: stack.adminDatabaseUrl,
    nats_url: stack.natsUrl,
    redis_url: stack.redisUrl,
  }
}

export function devFilePath(dataDir: string): string {
  return join(dataDir, 'dev.json')
}

/** Writes the file atomically, once everything is ready. */
export function writeDevFile(dataDir: string, content: DevFile): void {
  writeSecretFile(devFilePath(dataDir), content)
}

/** Removes the file before a stop or start. */
export function removeDevFile(dataDir: string): void {
  rmSync(devFilePath(dataDir), { force: true })
}
