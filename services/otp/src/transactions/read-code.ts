import type { readCode as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { build } from '../db/schema.ts'
import { mostResends } from './transaction-store.ts'
import { mostAttempts } from './try-codes.ts'

/** A transaction of a tenant and the messages of its codes, in the order of time. */
export const readCode: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const { transaction_id, tenant_id } = body
  const [found] = await db.run(
    build
      .selectFrom('transactions')
      .select(['expires_at', 'verified_at', 'attempts', 'resends'])
      .where('id', '=', transaction_id)
      .where('tenant_id', '=', tenant_id),
  )
  if (!found) return { code: null }
  const messages = await db.run(
    build
      .selectFrom('messages')
      .select('notification_id')
      .where('transaction_id', '=', transaction_id)
      .orderBy('created_at')
      .orderBy('notification_id')
      .limit(10),
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
