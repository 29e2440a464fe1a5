import type { TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
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
  const example = exampleBody('sendOtp', { recipient: freshPhone(), ...fields })
  const { body } = await postUntilTaken(env, '/api/v1/otp/send', example)
  return body.transaction_id
}
