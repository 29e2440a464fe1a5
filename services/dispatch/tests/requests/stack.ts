import { TestEnv } from '@notify/dev-env'
import { untilTemplatesRender } from '@notify/test-kit/sms'

/** The stack of all tests of requests that need a running dispatch and nothing more. */
export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['carrier-sandbox'],
    // A message waits behind calls that nobody answers: on a busy machine that takes its time.
    env: { 'dispatch-worker': { CARRIER_TIMEOUT: '30s' } },
  })
  await untilTemplatesRender(env)
}
