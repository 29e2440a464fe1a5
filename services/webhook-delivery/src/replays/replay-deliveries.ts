import type { replayWebhookDeliveries, replayWebhookDelivery } from '@notify/contracts'
import { idempotent, type Run } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { findDelivery, noSuchDelivery, summaryOf } from '../deliveries/read-deliveries.ts'
import { requireActive, requireSubscription } from '../subscriptions/scope.ts'
import { countExhausted, insertReplay, replayOne } from './replay-store.ts'

/** Counts what was exhausted since a moment, or has it delivered once more in the background. */
export const replayDeliveries: Handler<Context, typeof replayWebhookDeliveries> = idempotent({
  async effect(_context, { body, params, principal }, run) {
    const subscription = await requireSubscription(run, principal, params.subscription_id)
    const range = { subscriptionId: subscription.id, since: body.since }
    const count = await countExhausted(run, range)
    if (body.dry_run) return new Reply(200, JSON.stringify({ count }))
    requireActive(subscription)
    const replay = await insertReplay(run, range, count)
    const answer = {
      since: replay.since.toISOString(),
      count,
      replayed: 0,
      requested_at: replay.requested_at.toISOString(),
      finished_at: null,
    }
    return new Reply(202, JSON.stringify(answer))
  },
})

/** Delivers what was exhausted once more, under the same id. */
export const replayDelivery: Handler<Context, typeof replayWebhookDelivery> = idempotent({
  async effect(_context, { params, principal }, run) {
    const row = await findDelivery(run, principal.tenant_id, params.delivery_id)
    if (!row) throw noSuchDelivery()
    if (row.subscription_id) requireActive(await requireSubscription(run, principal, row.subscription_id))
    if (!(await replayOne(run, row.id))) {
      throw new Problem('not_replayable', 'Only a delivery that is exhausted can be replayed')
    }
    return new Reply(202, JSON.stringify(summaryOf((await requireDelivery(run, row.id, principal.tenant_id))!)))
  },
  after: ({ wakeEndpoints }) => wakeEndpoints(),
})

const requireDelivery = (run: Run, id: string, tenantId: string) => findDelivery(run, tenantId, id)
