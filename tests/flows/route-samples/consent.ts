import type { ApiResponse, TestEnv } from '@notify/dev-env'
import { createPrincipalSigner, principalHeader } from '@notify/service-kit'
import { freshPhone } from '@notify/test-kit/sms'
import { exampleBody, type Samples } from './sample.ts'

export function consentSamples(env: TestEnv): Samples {
  return {
    createOptIn: () => ({ fresh: { phone_e164: freshPhone() } }),
    createOptOut: () => ({ fresh: { phone_e164: freshPhone() } }),
    listOptIns: () => ({}),
    getOptIn: async () => {
      const phone_e164 = freshPhone()
      await env.api('POST', '/api/v1/whatsapp/opt-ins', { body: exampleBody('createOptIn', { phone_e164 }) })
      return { params: { phone_e164 } }
    },
    checkConsents: () => ({ call: () => checkDirectly(env) }),
  }
}

async function checkDirectly(env: TestEnv): Promise<ApiResponse> {
  const subjects = [{ tenant_id: env.tenantId, mode: 'live', recipient_index: 'nobody' }]
  const sign = await createPrincipalSigner(env.stack.state.dispatch_signing_key, 'dispatch')
  const principal = await sign({ kind: 'service', service: 'dispatch', permissions: ['consents:check'] })
  return env.call('consent', 'POST', '/internal/v1/whatsapp/consents/check', {
    headers: { [principalHeader]: principal },
    body: { subjects },
  })
}
