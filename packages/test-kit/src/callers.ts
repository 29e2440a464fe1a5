import { type KeyPrincipal, newId } from '@notify/contracts'
import { signOperatorToken, type TestEnv } from '@notify/dev-env'
import { mintApiKey } from '@notify/privacy'
import type { Account } from './callbacks.ts'

/** An application beside the demo's, and a key of it. */
export interface Application {
  tenantId: `ten_${string}`
  applicationId: `app_${string}`
  apiKey: string
  keyId: string
}

interface KeySettings {
  permissions?: string[]
  perSecond?: number | null
  mode?: 'live' | 'test'
}

/** Adds a key to an application. */
export async function addKey(
  env: TestEnv,
  { tenantId, applicationId }: { tenantId: string; applicationId: string },
  { permissions = ['notifications:send', 'notifications:read'], perSecond = null, mode = 'live' }: KeySettings = {},
): Promise<{ apiKey: string; keyId: string }> {
  const keyId = newId('key')
  const { apiKey, sha256 } = mintApiKey(mode, keyId)
  await env.admin.query(
    `insert into gateway.api_keys (id, tenant_id, application_id, name, mode, permissions, sha256, rate_limit_per_second)
     values ($1, $2, $3, 'Test', $4, $5, $6, $7)`,
    [keyId, tenantId, applicationId, mode, permissions, sha256, perSecond],
  )
  return { apiKey, keyId }
}

/** Adds an application, by default to the demo tenant. */
export async function addApplication(
  env: TestEnv,
  tenantId = env.tenantId,
  name = 'Back Office',
): Promise<Application> {
  const applicationId = newId('app')
  await env.admin.query('insert into gateway.applications (id, tenant_id, name) values ($1, $2, $3)', [
    applicationId,
    tenantId,
    name,
  ])
  const ids = { tenantId: tenantId as `ten_${string}`, applicationId }
  return { ...ids, ...(await addKey(env, ids)) }
}

/** The account of the second tenant; the sandbox must get it through `otherAccountEnv`. */
const otherAccount = { sid: `AC${'b'.repeat(32)}`, authToken: 'other-tenants-auth-token-0123456' }
export const otherAccountEnv = { TWILIO_ACCOUNTS: `${otherAccount.sid}:${otherAccount.authToken}` }

/** Adds a tenant that has nothing yet. @returns its id */
export async function addEmptyTenant(env: TestEnv): Promise<`ten_${string}`> {
  const tenantId = newId('ten')
  await env.admin.query(`insert into gateway.tenants (id, name) values ($1, 'Other')`, [tenantId])
  return tenantId
}

/** Adds a tenant with an application and a key, but without providers; nothing restarts. */
export async function addBareTenant(env: TestEnv): Promise<Application> {
  return addApplication(env, await addEmptyTenant(env), 'Other Shop')
}

/** Adds a tenant with an application, a key, and an SMS provider. */
export async function addTenant(env: TestEnv): Promise<Application & { account: Account }> {
  const application = await addBareTenant(env)
  const token = operatorToken(env, { tenant_id: application.tenantId, permissions: ['providers:manage'] })
  const credentials = { account_sid: otherAccount.sid, auth_token: otherAccount.authToken, from: '+15005550006' }
  const body = { channel: 'sms', kind: 'twilio', name: 'Other account', credentials }
  const answer = await env.api('POST', '/api/v1/providers', { token, body })
  if (answer.status !== 201) throw new Error(`the provider of another tenant was not added: ${answer.text}`)
  return { ...application, account: { ...otherAccount, providerId: answer.body.provider_id } }
}

/** An access token as the identity provider signs it; claims may be changed to what it never would. */
export function operatorToken(env: TestEnv, claims: object, header: object = {}): string {
  const usual = {
    iss: env.stack.url('identity-provider'),
    tenant_id: env.tenantId,
    permissions: ['activity:read', 'activity:retry'],
  }
  return signOperatorToken(env.stack.state.identity_provider_key, { ...usual, ...claims }, { header })
}

/** The caller of a live key, of a tenant and an application of its own, that may send. */
export function newKeyPrincipal(fields: Partial<KeyPrincipal> = {}): KeyPrincipal {
  return {
    kind: 'key',
    key_id: newId('key'),
    mode: 'live',
    tenant_id: newId('ten'),
    application_id: newId('app'),
    permissions: ['notifications:send'],
    ...fields,
  }
}
