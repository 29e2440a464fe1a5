import { freshPhone } from '@notify/test-kit/sms'
import type { TestEnv } from '../../../packages/dev-env/src/index.ts'
import type { Samples } from './sample.ts'

export function otpSamples(env: TestEnv): Samples {
  return {
    sendOtp: () => ({ body: { channel: 'sms', recipient: freshPhone() } }),
    resendOtp: async () => ({ params: { transaction_id: await sentOtp(env) } }),
    verifyOtp: async () => ({ body: { transaction_id: await sentOtp(env, { code: '123456' }), code: '123456' } }),
    getOtp: async () => ({ params: { transaction_id: await sentOtp(env) } }),
  }
}

async function sentOtp(env: TestEnv, fields: object = {}): Promise<string> {
  const { body } = await env.api('POST', '/api/v1/otp/send', {
    body: { channel: 'sms', recipient: freshPhone(), ...fields },
  })
  return body.transaction_id
}
