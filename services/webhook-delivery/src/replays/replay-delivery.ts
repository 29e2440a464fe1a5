import type { replayWebhookDelivery as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { summaryOf } from '../deliveries/describe-delivery.ts'
import { requireDelivery } from '../deliveries/require-delivery.ts'
import { requireActive, requireSubscription } from '../subscriptions/scope.ts'
import { replayOne } from './replay-store.ts'

/** Delivers an event again, under the same id. */
export const replayDelivery: Handler<Context, typeof contract> = idempotent({
  async effect(_context, { params, principal }, run) {
    const row = await requireDelivery(run, principal.tenant_id, params.delivery_id)
    if (row.subscription_id) requireActive(await requireSubscription(run, principal, row.subscription_id))
    if (!(await replayOne(run, row.id))) {
      throw new Problem(
        'not_replayable',
        'A pending delivery cannot be replayed, nor a send by the channel webhook that has arrived or was switched off',
      )
    }
    return new Reply(202, JSON.stringify(summaryOf(await requireDelivery(run, principal.tenant_id, row.id))))
  },
  after: ({ wakeEndpoints }) => wakeEndpoints(),
})
