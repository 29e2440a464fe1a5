import { TestEnv } from '@notify/dev-env'

/** The stack of all tests of webhooks. */
export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'webhook-delivery'], {
    env: {
      'webhook-delivery': {
        WEBHOOK_RETRY_DELAYS: '50ms,50ms',
        // Looking a name up takes a second on a busy machine, and a first attempt may take many.
        WEBHOOK_TIMEOUT: '3s',
        WEBHOOK_ORDER_LIMIT: '2m',
      },
    },
  })
}

export const operator = (method: string, path: string, body?: unknown) =>
  env.api(method, path, { token: env.operatorToken, ...(body === undefined ? {} : { body }) })
