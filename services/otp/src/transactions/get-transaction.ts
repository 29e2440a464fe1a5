import type { getOtp as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { unknownTransaction } from './refusals.ts'
import { findTransaction, mostResends } from './transaction-store.ts'
import { mostAttempts } from './try-codes.ts'

/** The state of a transaction, for keys of its application and mode. */
export const getTransaction: Handler<Context, typeof contract> = async ({ db }, { params, principal }) => {
  const row = await findTransaction(db.run, params.transaction_id, principal)
  if (!row) throw unknownTransaction()
  const { status, is_expired, attempts, resends } = row
  return {
    transaction_id: row.id,
    // The scheduler writes `expired` a moment later.
    status: is_expired && status !== 'verified' && status !== 'failed' ? 'expired' : status,
    channel: row.channel,
    recipient_masked: row.recipient_masked,
    failure_reason: row.failure_reason,
    attempts_remaining: mostAttempts - attempts,
    resends_remaining: mostResends - resends,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    verified_at: row.verified_at?.toISOString() ?? null,
  }
}
