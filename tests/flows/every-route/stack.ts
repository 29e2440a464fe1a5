import { afterAll, beforeAll } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import { type StandInSns, startSns } from '@notify/test-kit/ses'
import { type Samples, samplesOf } from '../route-samples/samples.ts'

/** All services, and a sample of each route's request. */
export let env: TestEnv
export let samples: Samples
let sns: StandInSns
beforeAll(async () => {
  sns = await startSns()
  env = await TestEnv.start(undefined, {
    env: {
      callbacks: { SNS_CERTIFICATE_HOSTS: sns.origin },
      gateway: { RATE_LIMIT_ADDRESS_PER_SECOND: '100000' },
    },
  })
  samples = samplesOf(env, sns)
})
afterAll(async () => {
  await env?.stop()
  await sns?.stop()
})
