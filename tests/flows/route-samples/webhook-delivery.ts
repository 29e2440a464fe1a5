import { newId } from '@notify/contracts'
import type { TestEnv } from '@notify/dev-env'
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
