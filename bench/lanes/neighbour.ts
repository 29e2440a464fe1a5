import { newId } from '@notify/contracts'
import { type Stack, signOperatorToken } from '@notify/dev-env'
import { mintApiKey } from '@notify/privacy'
import type pg from 'pg'
import type { SmsClient } from '../sms-client.ts'
import { percentile, round } from '../statistics.ts'
import { measureTimes } from './times-to-carrier.ts'

/** An account of the carrier sandbox beside the demo's. */
const account = { sid: `AC${'c'.repeat(32)}`, token: 'account-of-the-neighbour-0123456' }
export const neighbourEnvironment = { TWILIO_ACCOUNTS: `${account.sid}:${account.token}` }

/** Adds a tenant with its own SMS account. */
export async function addNeighbour(stack: Stack, database: pg.Pool): Promise<{ apiKey: string; tenantId: string }> {
  const [tenantId, applicationId, keyId] = [newId('ten'), newId('app'), newId('key')]
  const { apiKey, sha256 } = mintApiKey('live', keyId)
  await database.query(`insert into gateway.tenants (id, name) values ($1, 'Neighbour')`, [tenantId])
  await database.query(`insert into gateway.applications (id, tenant_id, name) values ($1, $2, 'Shop')`, [
    applicationId,
    tenantId,
  ])
  await database.query(
    `insert into gateway.api_keys (id, tenant_id, application_id, name, mode, permissions, sha256)
     values ($1, $2, $3, 'Bench', 'live', '{notifications:send}', $4)`,
    [keyId, tenantId, applicationId, sha256],
  )
  const credentials = { account_sid: account.sid, auth_token: account.token, from: '+15005550006' }
  const body = { channel: 'sms', kind: 'twilio', name: 'Account', credentials }
  await asOperator(stack, tenantId, 'POST', '/api/v1/providers', body)
  return { apiKey, tenantId }
}

/** Changes the demo tenant's SMS account. */
export function changeAccount(stack: Stack, change: object): Promise<void> {
  const { tenant_id, twilio_provider_id } = stack.state
  return asOperator(stack, tenant_id, 'PATCH', `/api/v1/providers/${twilio_provider_id}`, change)
}

async function asOperator(stack: Stack, tenantId: string, method: string, path: string, body: object): Promise<void> {
  const response = await fetch(stack.url('gateway') + path, {
    method,
    headers: {
      authorization: `Bearer ${operatorToken(stack, tenantId, ['providers:manage'])}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
}

export function operatorToken(stack: Stack, tenantId: string, permissions: readonly string[]): string {
  const claims = { iss: stack.url('identity-provider'), tenant_id: tenantId, permissions }
  return signOperatorToken(stack.state.identity_provider_key, claims, { lifetimeSeconds: 3600 })
}

export type Priority = 'transactional' | 'bulk'
const text = 'Your code word is 1001.'

interface Beside {
  stack: Stack
  neighbour: SmsClient
}

let serial = 0

/** Sends messages of the neighbour. @returns the p99 from 202 to the carrier, in milliseconds */
export const measureNeighbour = async (beside: Beside, priority: Priority, samples: number) =>
  (await percentilesOfNeighbour(beside, priority, samples)).p99

/** The same with the median. */
export async function percentilesOfNeighbour({ stack, neighbour }: Beside, priority: Priority, samples: number) {
  const to = `+1558000${String(serial++).padStart(4, '0')}1`
  const times = await measureTimes(
    stack,
    to,
    (count) => count < samples,
    () => neighbour.post({ to, body: text, priority }),
  )
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
  console.log(`  neighbour, ${priority}: p50 ${round(p50)} ms, p99 ${round(p99)} ms`)
  return { p50, p99 }
}
