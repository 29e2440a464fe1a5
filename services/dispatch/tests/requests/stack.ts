import { TestEnv } from '@notify/dev-env'
import { untilTemplatesRender } from '@notify/test-kit/sms'

/** The stack of all tests of requests that need a running dispatch and nothing more. */
export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], { apart: ['carrier-sandbox'] })
  await untilTemplatesRender(env)
}
