import type { readWebhookAttempts as contract } from '@notify/contracts'
import { notAllowed } from '@notify/egress-guard'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { goneStatus } from './judge-outcome.ts'

interface Row {
  delivery_id: string
  number: number
  provider_id: string | null
  started_at: Date
  finished_at: Date | null
  status: number | null
  error: string | null
}

/** The attempts to deliver a notification of a tenant, of all its retries. What the receiver answered stays here. */
export const readAttempts: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const rows = await db.run<Row>(
    `select a.delivery_id, a.number, d.provider_id, a.started_at, a.finished_at, a.status, a.error
     from deliveries d join attempts a on a.delivery_id = d.id
     where d.notification_id = $1 and d.subscription_id is null and d.tenant_id = $2 order by a.started_at, a.number`,
    [body.notification_id, body.tenant_id],
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
