import type { readWebhookAttempts as contract } from '@notify/contracts'
import { notAllowed } from '@notify/egress-guard'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { listSendAttemptRows } from './delivery-store.ts'
import { goneStatus } from './judge-outcome.ts'

/** The newest attempts to deliver a notification of a tenant, of all its retries. What the receiver answered stays here. */
export const readAttempts: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const rows = await listSendAttemptRows(db.run, body.tenant_id, body.notification_id)
  return {
    attempts: rows.map((row) => ({
      ...row,
      is_final: row.status === goneStatus || row.error === notAllowed,
      started_at: row.started_at.toISOString(),
      finished_at: row.finished_at?.toISOString() ?? null,
    })),
  }
}
