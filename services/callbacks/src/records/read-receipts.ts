import type { readReceipts as contract } from '@notify/contracts'
import { anyOf } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { build } from '../db/schema.ts'

/** The carriers' reports on attempts, in the order of arrival. */
export const readReceipts: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const rows = await db.run(
    build
      .selectFrom('told_receipts')
      .select(['attempt_id', 'status', 'told_at'])
      .where('attempt_id', '=', anyOf(body.attempt_ids))
      .orderBy('told_at')
      .orderBy('status'),
  )
  return {
    receipts: rows.map(({ attempt_id, status, told_at }) => ({
      attempt_id,
      status,
      received_at: told_at.toISOString(),
    })),
  }
}
