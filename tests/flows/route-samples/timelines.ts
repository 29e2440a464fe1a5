import {
  findEvents,
  newId,
  type Route,
  readAttempts,
  readCode,
  readCodeMessages,
  readProviders,
  readReceipts,
  readWebhookAttempts,
} from '@notify/contracts'
import type { ApiResponse, ServiceProcess, TestEnv } from '@notify/dev-env'
import { createPrincipalSigner, principalHeader } from '@notify/service-kit'
import type { Samples } from './sample.ts'

/** The internal requests of the gateway for timelines. */
export function timelineSamples(env: TestEnv): Samples {
  const tenant_id = env.tenantId
  const notification_id = newId('notif')
  const ask =
    (process: ServiceProcess, { path }: Route, body: object) =>
    () => ({
      call: () => askAsGateway(env, process, path, body),
    })
  return {
    findEvents: ask('dispatch-api', findEvents, { tenant_id, event_key: 'order.shipped' }),
    readProviders: ask('dispatch-api', readProviders, { tenant_id, notification_ids: [notification_id] }),
    readAttempts: ask('dispatch-api', readAttempts, { tenant_id, notification_ids: [notification_id] }),
    readWebhookAttempts: ask('webhook-delivery', readWebhookAttempts, { tenant_id, notification_id }),
    readCode: ask('otp', readCode, { tenant_id, transaction_id: newId('otp') }),
    readCodeMessages: ask('otp', readCodeMessages, { tenant_id, transaction_ids: [newId('otp')] }),
    readReceipts: ask('callbacks', readReceipts, {
      tenant_id: newId('ten'),
      attempts: [{ attempt_id: newId('att'), provider_id: newId('prov'), provider_message_id: 'message' }],
    }),
  }
}

async function askAsGateway(env: TestEnv, process: ServiceProcess, path: string, body: object): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.principal_signing_key)
  const principal = await sign({ kind: 'service', service: 'gateway', permissions: ['timelines:read'] })
  return env.call(process, 'POST', path, { headers: { [principalHeader]: principal }, body })
}
