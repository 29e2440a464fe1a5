import type { readCode as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { mostResends, type TransactionRow } from './transaction-store.ts'
import { mostAttempts } from './try-codes.ts'

type Found = Pick<TransactionRow, 'expires_at' | 'verified_at' | 'attempts' | 'resends'>

/** A transaction of a tenant and the messages of its codes, in the order of time. */
export const readCode: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const [found] = await db.run<Found>(
    'select expires_at, verified_at, attempts, resends from transactions where id = $1 and tenant_id = $2',
    [body.transaction_id, body.tenant_id],
  )
  if (!found) return { code: null }
  const messages = await db.run<{ notification_id: `notif_${string}` }>(
    'select notification_id from messages where transaction_id = $1 order by created_at, notification_id limit 10',
    [body.transaction_id],
  )
  return {
    code: {
      expires_at: found.expires_at.toISOString(),
      verified_at: found.verified_at?.toISOString() ?? null,
      attempts_remaining: mostAttempts - found.attempts,
      resends_remaining: mostResends - found.resends,
      notification_ids: messages.map(({ notification_id }) => notification_id),
    },
  }
}
