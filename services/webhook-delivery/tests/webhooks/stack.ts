import { TestEnv } from '@notify/dev-env'
import { asOperator } from '@notify/test-kit/api'
import { openBus, untilQuiet } from '@notify/test-kit/bus'

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
  asOperator(env, method, path, body === undefined ? {} : { body })

/** The messages that have no end yet, and the events that are not published; all published ones have been taken. */
export async function underWay(): Promise<string[]> {
  await using bus = await openBus(env)
  const { rows } = await env.admin.query(
    `select 'notification ' || id as what from dispatch.notifications where status in ('scheduled', 'queued', 'sent')
     union all select subject from dispatch.outbox where published_at is null
     union all select subject from webhook_delivery.outbox where published_at is null
     union all select subject from callbacks.outbox where published_at is null`,
  )
  await untilQuiet(bus, ['dispatch', 'callbacks', 'webhook-delivery'])
  return rows.map(({ what }) => what)
}
