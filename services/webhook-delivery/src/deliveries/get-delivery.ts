import type { getWebhookDelivery as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { listAttemptRows } from './delivery-store.ts'
import { attemptOf, requestOf, summaryOf } from './describe-delivery.ts'
import { requireDelivery } from './require-delivery.ts'

/** A delivery of the operator's tenant, with its attempts. */
export const getDelivery: Handler<Context, typeof contract> = async ({ db, secrets }, { params, principal }) => {
  const row = await requireDelivery(db.run, principal.tenant_id, params.delivery_id)
  const attempts = await listAttemptRows(db.run, row.id)
  return {
    ...summaryOf(row),
    request: requestOf(secrets.keyRing, row),
    attempts: attempts.map((attempt) => attemptOf(secrets.keyRing, attempt)),
  }
}
