import { freshPhone } from '@notify/test-kit/sms'
import type { ApiResponse, TestEnv } from '../../../packages/dev-env/src/index.ts'
import type { Samples } from './sample.ts'

export function consentSamples(env: TestEnv): Samples {
  return {
    createOptIn: () => ({ body: { phone_e164: freshPhone(), source: 'web_form' } }),
    createOptOut: () => ({ body: { phone_e164: freshPhone() } }),
    listOptIns: () => ({}),
    getOptIn: async () => {
      const phone_e164 = freshPhone()
      await env.api('POST', '/api/v1/whatsapp/opt-ins', { body: { phone_e164, source: 'web_form' } })
      return { params: { phone_e164 } }
    },
    checkConsents: () => ({ call: () => checkDirectly(env) }),
  }
}

function checkDirectly(env: TestEnv): Promise<ApiResponse> {
  const subjects = [{ tenant_id: env.tenantId, mode: 'live', recipient_index: 'nobody' }]
  return env.call('consent', 'POST', '/internal/v1/whatsapp/consents/check', { body: { subjects } })
}
