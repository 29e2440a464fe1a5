import type { ShopConfig } from './config.ts'

interface Reply {
  status: number
  body: string
}

/** Issues a token with which the user's browser reads the inbox. A real shop takes the user from its own session. */
export function issueToken(config: ShopConfig, { user_id }: Record<string, unknown>): Promise<Reply> {
  return post(config, '/api/v1/in-app/tokens', { user_id })
}

/** Sends an in-app notification to the user. */
export function sendNotification(config: ShopConfig, fields: Record<string, unknown>): Promise<Reply> {
  const { user_id, title, body, action_url } = fields
  const data = action_url ? { action_url } : {}
  return post(config, '/api/v1/notifications', { channel: 'in_app', recipient: user_id, title, body, data })
}

async function post({ apiUrl, apiKey }: ShopConfig, path: string, body: object): Promise<Reply> {
  const response = await fetch(apiUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })
  return { status: response.status, body: await response.text() }
}
