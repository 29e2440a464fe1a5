import type { readWebhookAttempts as contract } from '@notify/contracts'
import { notAllowed } from '@notify/egress-guard'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { build } from '../db/schema.ts'
import { goneStatus } from './judge-outcome.ts'

/** The attempts to deliver a notification of a tenant, of all its retries. What the receiver answered stays here. */
export const readAttempts: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const rows = await db.run(
    build
      .selectFrom('deliveries as d')
      .innerJoin('attempts as a', 'a.delivery_id', 'd.id')
      .select(['a.delivery_id', 'a.number', 'd.provider_id', 'a.started_at', 'a.finished_at', 'a.status', 'a.error'])
      .where('d.notification_id', '=', body.notification_id)
      .where('d.subscription_id', 'is', null)
      .where('d.tenant_id', '=', body.tenant_id)
      .orderBy('a.started_at')
      .orderBy('a.number'),
  )
  return {
    attempts: rows.map((row) => ({
      ...row,
      is_final: row.status === goneStatus || row.error === notAllowed,
      started_at: row.started_at.toISOString(),
      finished_at: row.finished_at?.toISOString() ?? null,
    })),
  }
}
