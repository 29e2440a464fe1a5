import { judgeHandOffs, newId } from '@notify/contracts'
import type { ApiResponse, TestEnv } from '@notify/dev-env'
import { createPrincipalSigner, principalHeader } from '@notify/service-kit'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { exampleBody, made, type Samples } from './sample.ts'

export function webhookSamples(env: TestEnv): Samples {
  const fresh = () => ({
    application_id: env.applicationId,
    url: `${env.stack.receiverUrl}/ok/${crypto.randomUUID()}`,
  })
  const subscription = async () => {
    const { subscription_id } = await made(
      env,
      '/api/v1/webhook-subscriptions',
      exampleBody('createWebhookSubscription', fresh()),
    )
    return { params: { subscription_id } }
  }
  const delivery = async () => {
    const { params } = await subscription()
    return { params: { delivery_id: await exhausted(env, params.subscription_id) } }
  }
  return {
    createSubscriptionProvider: () => ({ call: () => askDispatch(env, '', { provider_id: newId('prov') }) }),
    rotateSubscriptionSecret: async () => {
      const [provider_id, subscription_id] = [newId('prov'), newId('whsub')]
      await askDispatch(env, '', { provider_id, subscription_id })
      return { call: () => askDispatch(env, `/${provider_id}/rotate-secret`, { subscription_id }) }
    },
    judgeHandOffs: () => ({ call: () => judge(env) }),
    listWebhookSubscriptions: () => ({}),
    createWebhookSubscription: () => ({ fresh: fresh() }),
    getWebhookSubscription: subscription,
    changeWebhookSubscription: subscription,
    deleteWebhookSubscription: subscription,
    rotateWebhookSecret: subscription,
    testWebhookSubscription: subscription,
    listWebhookDeliveries: subscription,
    replayWebhookDeliveries: subscription,
    getWebhookDelivery: delivery,
    replayWebhookDelivery: delivery,
  }
}

/** Asks about a message, as webhook-delivery does before it delivers it. */
async function judge(env: TestEnv): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.webhook_delivery_signing_key, 'webhook-delivery')
  const principal = await sign({ kind: 'service', service: 'webhook-delivery', permissions: ['hand-offs:judge'] })
  const body = { notification_ids: [newId('notif')] }
  return env.call('dispatch-api', 'POST', judgeHandOffs.path, { headers: { [principalHeader]: principal }, body })
}

/** Requests the provider of a subscription, as webhook-delivery does for its caller. */
async function askDispatch(env: TestEnv, rest: string, fields: object): Promise<ApiResponse> {
  const { tenantId: tenant_id, applicationId: application_id } = env
  const sign = await createPrincipalSigner(env.stack.state.principal_signing_key)
  const principal = newKeyPrincipal({
    ...{ tenant_id: tenant_id as `ten_${string}`, application_id: application_id as `app_${string}` },
    permissions: ['webhooks:manage'],
  })
  return env.call('dispatch-api', 'POST', `/internal/v1/subscription-providers${rest}`, {
    headers: { [principalHeader]: await sign(principal) },
    body: { subscription_id: newId('whsub'), application_id, ...fields },
  })
}

/** A delivery that an operator may replay. */
async function exhausted(env: TestEnv, subscriptionId: string): Promise<string> {
  const id = newId('whdel')
  await env.admin.query(
    `insert into webhook_delivery.deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, event_type, body,
       status, finished_at) values ($1, $2, $3, $4, $4, 'notification.failed', '', 'exhausted', now())`,
    [id, env.tenantId, env.applicationId, subscriptionId],
  )
  return id
}
