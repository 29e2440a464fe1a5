import { newId } from '@notify/contracts'
import type { TestEnv } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'

/** Stores subscriptions of these addresses, as their routes would have left them. @returns their ids */
export async function storeSubscriptions(
  env: TestEnv,
  urls: readonly string[],
  tenant: string = env.stack.state.tenant_id,
  events: readonly string[] = [],
): Promise<string[]> {
  const { state } = env.stack
  const sql = env.sql('webhook-delivery')
  const provider = newId('prov')
  await sql.query('insert into providers (id, tenant_id, own, secret) values ($1, $2, true, $3)', [
    provider,
    tenant,
    keyRingOf(env).encrypt(state.webhook_secret, `providers|${tenant}|${provider}`),
  ])
  const rows = urls.map((url) => {
    const id = newId('whsub')
    return { id, url: keyRingOf(env).encrypt(url, `subscriptions.url|${tenant}|${id}`).toString('base64') }
  })
  await sql.query(
    `insert into subscriptions (id, tenant_id, application_id, provider_id, url, events, description)
     select id, $2, $3, $4, decode(url, 'base64'), $5, '' from json_to_recordset($1::json) as t (id text, url text)`,
    [JSON.stringify(rows), tenant, state.application_id, provider, events],
  )
  const ids = rows.map(({ id }) => id)
  await sql.query(`insert into endpoints (id, tenant_id) select unnest($1::text[]), $2`, [ids, tenant])
  return ids
}

/** Stores deliveries, spread over these subscriptions, as facts would have left them: due now. */
export async function storeDeliveries(
  env: TestEnv,
  subscriptions: readonly string[],
  count: number,
  tenant: string = env.stack.state.tenant_id,
): Promise<void> {
  const { application_id: application } = env.stack.state
  const keyRing = keyRingOf(env)
  const rows = Array.from({ length: count }, (_, at) => {
    const id = newId('whdel')
    const body = keyRing.encrypt('{}', `deliveries|${tenant}|${id}`).toString('base64')
    return { id, subscription: subscriptions[at % subscriptions.length], body }
  })
  const sql = env.sql('webhook-delivery')
  await sql.query(
    `insert into deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, event_type, body, next_attempt_at)
     select id, $2, $3, subscription, subscription, 'notification.failed', decode(body, 'base64'), now()
     from json_to_recordset($1::json) as t (id text, subscription text, body text)`,
    [JSON.stringify(rows), tenant, application],
  )
  await sql.query('update endpoints set next_due_at = now() where id = any($1)', [subscriptions])
}

function keyRingOf(env: TestEnv) {
  return parseKeyRing(env.stack.state.encryption_keys)
}
