import { eventually, type TestEnv } from '@notify/dev-env'

/** Connects an account at the texter, sends one SMS through it, and shows what each part of the system knows of it. */
export async function texterFlow(env: TestEnv): Promise<object> {
  const operator = { token: env.operatorToken }
  const credentials = { api_key: 'key-of-the-toy', callback_token: 'token-of-the-toy' }
  const provider = await env.api('POST', '/api/v1/providers', {
    ...operator,
    body: { channel: 'sms', kind: 'texter', name: 'Texter', priority: 0, credentials },
  })
  const { provider_id, callback_url: webhook_url } = provider.body
  const account = { carrier: 'texter', account: { ...credentials, webhook_url } }
  const opened = await env.call('carrier-sandbox', 'POST', '/accounts', { body: account })
  const body = { channel: 'sms', recipient: { phone: '+14155550177' }, body: 'Your table is ready.' }
  // Providers are known everywhere within a second.
  const attempt = await eventually(async () => {
    const { body: sent } = await env.api('POST', '/api/v1/notifications', { body })
    const state = await eventually(async () => {
      const found = await env.api('GET', `/api/v1/notifications/${sent.notification_id}`)
      if (found.body.delivery_status !== 'delivered') throw new Error(JSON.stringify(found.body))
      return found.body
    })
    const [first] = state.attempts
    if (first.provider_id !== provider_id) throw new Error(JSON.stringify(state))
    return { status: state.delivery_status, outcome: first.outcome }
  })
  const [message] = await env.messages({ to: '+14155550177' })
  return { provider: provider.status, opened: opened.status, attempt, sandbox: message?.from }
}
