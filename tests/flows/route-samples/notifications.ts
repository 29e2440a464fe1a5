import { gatewayItself, newId } from '@notify/contracts'
import type { ApiResponse, TestEnv } from '@notify/dev-env'
import { createPrincipalSigner, principalHeader } from '@notify/service-kit'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'
import { made, type Samples, tomorrow } from './sample.ts'

export function notificationSamples(env: TestEnv): Samples {
  return {
    acceptNotifications: () => ({ call: () => acceptDirectly(env) }),
    acceptServiceNotifications: () => ({ call: () => acceptForOtp(env) }),
    compareNotifications: () => ({ call: () => compareDirectly(env) }),
    createNotification: () => ({ fresh: { recipient: { phone: freshPhone() } } }),
    createNotificationBatch: async () => {
      const { template_id } = await made(env, '/api/v1/templates', {
        name: 'Hello',
        templates: { sms: { body: 'Hello {{name}}' } },
      })
      // A template that dispatch has not cached yet, so that judging reads the database.
      const fields = { template_id, body: undefined, template_data: { name: 'Ada' } }
      return { body: { requests: Array.from({ length: 5 }, () => smsTo(freshPhone(), fields)) } }
    },
    readContent: async () => ({ params: { id: await send(env) } }),
    getNotification: async () => ({ params: { notification_id: await send(env) } }),
    cancelNotification: async () => ({
      params: { notification_id: await send(env, freshPhone(), { send_at: tomorrow() }) },
    }),
  }
}

async function acceptDirectly(env: TestEnv): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.principal_signing_key)
  const ids = { tenant_id: env.tenantId as `ten_${string}`, application_id: env.applicationId as `app_${string}` }
  const principal = await sign(newKeyPrincipal(ids))
  const items = Array.from({ length: 4 }, () => ({
    notification_id: newId('notif'),
    principal: 0,
    request: smsTo(freshPhone()),
  }))
  return env.call('dispatch-api', 'POST', '/internal/v1/notifications/accept', {
    body: { principals: [principal], items },
  })
}

async function acceptForOtp(env: TestEnv): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.otp_signing_key, 'otp')
  const principal = await sign({ kind: 'service', service: 'otp', permissions: ['notifications:accept'] })
  const { tenantId: tenant_id, applicationId: application_id } = env
  const items = Array.from({ length: 4 }, () => ({
    notification_id: newId('notif'),
    ...{ tenant_id, application_id, mode: 'live', lane: 'otp' },
    request: smsTo(freshPhone()),
  }))
  // Again with one that is refused, so that the committed ones are looked up.
  const refused = { ...items[0], notification_id: newId('notif'), request: smsTo('12') }
  const call = () =>
    env.call('dispatch-api', 'POST', '/internal/v1/notifications', {
      headers: { [principalHeader]: principal },
      body: { items: [...items, refused] },
    })
  await call()
  return call()
}

async function compareDirectly(env: TestEnv): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.principal_signing_key)
  return env.call('dispatch-api', 'POST', '/internal/v1/notifications/compare', {
    headers: { [principalHeader]: await sign(gatewayItself) },
    body: { after: '', until: newId('notif'), quiet_seconds: 0, lanes: ['bulk'], known: {} },
  })
}
