import { freshPhone, post, smsTo } from '@notify/test-kit/sms'
import type { TestEnv } from '../../../packages/dev-env/src/index.ts'
import { type Samples, tomorrow } from './sample.ts'

export function gatewaySamples(env: TestEnv): Samples {
  return {
    listActivity: () => ({}),
    retryActivity: async () => ({ params: { id: await failed(env) } }),
  }
}

/** A notification that an operator may retry. */
async function failed(env: TestEnv): Promise<string> {
  const id = (await post(env, smsTo(freshPhone(), { send_at: tomorrow() }))).body.notification_id
  await env.admin.query(
    `update dispatch.notifications set status = 'failed', retryable = true, next_attempt_at = null where id = $1`,
    [id],
  )
  return id
}
