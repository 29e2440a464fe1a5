import type { replayWebhookDeliveries as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { requireActive, requireSubscription } from '../subscriptions/scope.ts'
import { auditReplay } from './audit-replay.ts'
import { countExhausted, insertReplay } from './replay-store.ts'

/** Counts the deliveries that were exhausted since a moment, or delivers them again in the background. */
export const replayDeliveries: Handler<Context, typeof contract> = idempotent({
  async effect(_context, request, run) {
    const { body, params, principal } = request
    const subscription = await requireSubscription(run, principal, params.subscription_id)
    const range = { subscriptionId: subscription.id, since: body.since }
    const count = await countExhausted(run, range)
    if (body.dry_run) return new Reply(200, JSON.stringify({ count }))
    requireActive(subscription)
    const { id: resourceId, application_id: applicationId, tenant_id: tenantId } = subscription
    const replay = await insertReplay(run, { ...range, tenantId }, count)
    const change = { request, applicationId, resourceId, before: null, after: { since: body.since, count } }
    await auditReplay(run, { of: 'webhook_subscription', ...change })
    const answer = {
      since: replay.since.toISOString(),
      count,
      replayed: 0,
      requested_at: replay.requested_at.toISOString(),
      finished_at: null,
    }
    return new Reply(202, JSON.stringify(answer))
  },
  // It wakes the schedulers too.
  after: ({ wakeOutbox }) => wakeOutbox(),
})
