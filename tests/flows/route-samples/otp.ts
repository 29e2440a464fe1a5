import type { TestEnv } from '@notify/dev-env'
import { freshPhone } from '@notify/test-kit/sms'
import { exampleBody, type Samples } from './sample.ts'

export function otpSamples(env: TestEnv): Samples {
  return {
    sendOtp: () => ({ fresh: { recipient: freshPhone() } }),
    resendOtp: async () => ({ params: { transaction_id: await sentOtp(env) } }),
    verifyOtp: async () => {
      const { code } = exampleBody('verifyOtp') as { code: string }
      return { fresh: { transaction_id: await sentOtp(env, { code }) } }
    },
    getOtp: async () => ({ params: { transaction_id: await sentOtp(env) } }),
  }
}

async function sentOtp(env: TestEnv, fields: object = {}): Promise<string> {
  const { body } = await env.api('POST', '/api/v1/otp/send', {
    body: exampleBody('sendOtp', { recipient: freshPhone(), ...fields }),
  })
  return body.transaction_id
}
