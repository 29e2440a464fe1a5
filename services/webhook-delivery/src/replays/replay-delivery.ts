import type { replayWebhookDelivery as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { DeliveryRow } from '../deliveries/delivery-store.ts'
import { summaryOf } from '../deliveries/describe-delivery.ts'
import { requireDelivery } from '../deliveries/require-delivery.ts'
import { requireActive, requireSubscription } from '../subscriptions/scope.ts'
import { auditReplay } from './audit-replay.ts'
import { replayOne } from './replay-store.ts'

/** Refuses to replay a message of a topic that dispatch does not keep, so that nobody can judge it. @throws Problem `not_replayable` */
async function requireJudgeable({ askWish }: Context, { topic, notification_id }: DeliveryRow): Promise<void> {
  if (topic === null || notification_id === null || (await askWish(notification_id)) !== 'unknown') return
  throw new Problem(
    'not_replayable',
    'The message was deleted at the end of its retention, so the preferences of its recipient cannot be checked. Send it again as a new message',
  )
}

/** Delivers again under the same id, also what has arrived: the receiver recognises it by the id. */
export const replayDelivery: Handler<Context, typeof contract> = idempotent({
  async prepare(context, { params, principal }) {
    await requireJudgeable(context, await requireDelivery(context.db.run, principal.tenant_id, params.delivery_id))
  },
  async effect(_context, request, run) {
    const { params, principal } = request
    const row = await requireDelivery(run, principal.tenant_id, params.delivery_id)
    if (row.subscription_id) requireActive(await requireSubscription(run, principal, row.subscription_id))
    if (!(await replayOne(run, row.id))) {
      throw new Problem(
        'not_replayable',
        'The delivery is pending, or its recipient was erased or has switched it off, so it cannot be replayed',
      )
    }
    const replayed = summaryOf(await requireDelivery(run, principal.tenant_id, row.id))
    const { application_id: applicationId, status } = row
    const change = {
      request,
      applicationId,
      resourceId: row.id,
      before: { status },
      after: { status: replayed.status },
    }
    await auditReplay(run, { of: 'webhook_delivery', ...change })
    return new Reply(202, JSON.stringify(replayed))
  },
  after({ wakeEndpoints, wakeOutbox }) {
    wakeEndpoints()
    wakeOutbox()
  },
})
