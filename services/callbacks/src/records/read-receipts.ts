import type { readReceipts as contract, ReceiptStatus } from '@notify/contracts'
import { anyOf } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { build } from '../db/schema.ts'

/** The carriers' reports on attempts, in the order of arrival. */
export const readReceipts: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const rows = await db.run(
    build
      .selectFrom('received_callbacks')
      .select(({ fn }) => ['attempt_id', 'status', fn.min('received_at').as('received_at')])
      .where('attempt_id', '=', anyOf(body.attempt_ids))
      .groupBy(['attempt_id', 'status'])
      .orderBy('received_at')
      .orderBy('status'),
  )
  return {
    receipts: rows.map(({ attempt_id, status, received_at }) => ({
      attempt_id: attempt_id!,
      status: status as ReceiptStatus,
      received_at: received_at.toISOString(),
    })),
  }
}
