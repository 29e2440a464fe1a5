import { type WebhookSubscription, webhookAuditRecorded } from '@notify/contracts'
import { type Change, type Run, recordAudit } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'

interface SubscriptionChange extends Pick<Change, 'request' | 'service' | 'tenantId'> {
  action: `webhook_subscription.${'created' | 'changed' | 'deleted'}`
  before: WebhookSubscription | null
  after: WebhookSubscription | null
}

/** Records who changed a subscription. */
export async function auditSubscription(run: Run, change: SubscriptionChange): Promise<void> {
  const { before, after } = change
  const { subscription_id: resourceId, application_id: applicationId } = (before ?? after)!
  await recordAudit(run, webhookAuditRecorded, {
    ...change,
    ...{ resourceId, applicationId },
    before: before && settingsOf(before),
    after: after && settingsOf(after),
  })
}

type Disabled = Pick<Selectable<Tables['subscriptions']>, 'id' | 'tenant_id' | 'application_id' | 'disabled_reason'>

/** Records that the service disabled a subscription by itself. */
export async function auditDisabling(run: Run, row: Disabled): Promise<void> {
  const { id: resourceId, tenant_id: tenantId, application_id: applicationId, disabled_reason } = row
  await recordAudit(run, webhookAuditRecorded, {
    ...{ request: null, service: 'webhook-delivery', tenantId, applicationId, resourceId },
    action: 'webhook_subscription.disabled',
    before: { status: 'active', disabled_reason: null },
    after: { status: 'disabled', disabled_reason },
  })
}

/** The settings of a subscription that a caller can choose. The path of its address may hold a secret. */
function settingsOf({ url, replay: _, failing_since: __, ...fields }: WebhookSubscription): object {
  const { origin, href } = new URL(url)
  return { ...fields, url: origin, url_path: href.slice(origin.length) }
}
