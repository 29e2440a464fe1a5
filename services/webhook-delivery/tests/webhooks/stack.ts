import { TestEnv } from '@notify/dev-env'

/** The stack of all tests of webhooks. */
export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'webhook-delivery'], {
    // Looking a name up takes a second on a busy machine.
    env: { 'webhook-delivery': { WEBHOOK_RETRY_DELAYS: '50ms,50ms', WEBHOOK_TIMEOUT: '3s' } },
  })
}

export const operator = (method: string, path: string, body?: unknown) =>
  env.api(method, path, { token: env.operatorToken, ...(body === undefined ? {} : { body }) })
