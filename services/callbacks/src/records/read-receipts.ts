import type { readReceipts as contract, ReceiptStatus } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'

interface Row {
  attempt_id: string
  status: ReceiptStatus
  told_at: Date
}

/** What carriers reported of attempts, in the order of arrival. */
export const readReceipts: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const rows = await db.run<Row>(
    'select attempt_id, status, told_at from told_receipts where attempt_id = any ($1) order by told_at, status',
    [body.attempt_ids],
  )
  return {
    receipts: rows.map(({ attempt_id, status, told_at }) => ({
      attempt_id,
      status,
      received_at: told_at.toISOString(),
    })),
  }
}
