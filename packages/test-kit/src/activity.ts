import { expect } from '@jest/globals'
import { type Channel, newId } from '@notify/contracts'
import { type ApiRequest, type ApiResponse, eventually, patienceMs, type TestEnv } from '@notify/dev-env'

/** The operator's view of the trail. */
export async function activity(env: TestEnv, query: Record<string, string> = {}, token = env.operatorToken) {
  return env.api('GET', `/api/v1/activity?${new URLSearchParams(query)}`, { token })
}

/** Waits until the trail shows the notification like this, and gives the item. */
export function untilActivity(env: TestEnv, id: string, expected: object, timeoutMs = patienceMs) {
  return eventually(
    async () => {
      const { body } = await activity(env, { limit: '100' })
      const item = body.items.find(({ transaction_id }: { transaction_id: string }) => transaction_id === id)
      expect(item).toMatchObject(expected)
      return item
    },
    { timeoutMs },
  )
}

export function retry(env: TestEnv, id: string, request: ApiRequest = {}): Promise<ApiResponse> {
  return env.api('POST', `/api/v1/activity/${id}/retry`, { token: env.operatorToken, ...request })
}

/** A row of the gateway's activity. */
export interface StoredItem {
  id: string
  tenant_id: string
  application_id: string
  mode: 'live' | 'test'
  channel: Channel
  status: string
  event_key: string | null
  recipient_masked: string
  recipient_index: string
  failure_reason: string | null
  retryable: boolean
  locale: string | null
  created_at: string
}

/** An item of the demo application, as the projection would have written it. */
export function itemOf(env: TestEnv, fields: Partial<StoredItem> = {}): StoredItem {
  return {
    id: newId('notif'),
    tenant_id: env.tenantId,
    application_id: env.applicationId,
    mode: 'live',
    channel: 'sms',
    status: 'delivered',
    event_key: null,
    recipient_masked: '+12******0100',
    recipient_index: 'somebody',
    failure_reason: null,
    retryable: false,
    locale: null,
    created_at: new Date().toISOString(),
    ...fields,
  }
}

const batch = 1000

/** Stores items; the triggers count them as they count the projection's. */
export async function storeItems(env: TestEnv, items: readonly StoredItem[]): Promise<void> {
  for (let at = 0; at < items.length; at += batch) await storeBatch(env, items.slice(at, at + batch))
}

async function storeBatch(env: TestEnv, items: readonly StoredItem[]): Promise<void> {
  await env.sql('gateway').query(
    `insert into activity (id, tenant_id, application_id, revision, mode, channel, status, event_key, recipient_masked,
       recipient_index, failure_reason, retryable, retry_count, created_at, updated_at, locale)
     select id, tenant_id, application_id, 1, mode, channel, status, event_key, recipient_masked, recipient_index, failure_reason,
       retryable, 0, created_at, created_at, locale
     from json_to_recordset($1::json) as t (id text, tenant_id text, application_id text, mode text, channel text, status text,
       event_key text, recipient_masked text, recipient_index text, failure_reason text, retryable boolean,
       created_at timestamptz, locale text)`,
    [JSON.stringify(items)],
  )
}
