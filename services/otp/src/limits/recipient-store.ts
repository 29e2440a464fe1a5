import type { KeyMode } from '@notify/contracts'
import { column, defineStatement, type Run } from '@notify/database'

/** Most codes to one recipient in the window, counted over all applications of a tenant. */
const mostSends = 5
const windowSeconds = 600

/** Sends to one recipient wait for each other until their transaction ends, so that each is counted once. */
const takeTurn = defineStatement({
  name: 'take-turn-at-recipient',
  text: `select pg_advisory_xact_lock(hashtextextended('otp recipient ' || $1 || ' ' || $2 || ' ' || $3, 0)) as taken`,
  columns: { taken: column.void() },
})

/** The index finds nothing by clock_timestamp(), which may change from row to row. */
const countSends = defineStatement({
  name: 'count-sends-to-recipient',
  text: `select count(*)::int as sends,
           ceil(extract(epoch from min(created_at) + interval '${windowSeconds} seconds' - clock_timestamp()))::int as free_in
         from (select created_at from messages
           where tenant_id = $1 and recipient_index = $2 and mode = $3 and refusal is null
             and created_at > statement_timestamp() - interval '${windowSeconds} seconds'
           order by created_at desc limit ${mostSends}) as latest`,
  columns: { sends: column.integer(), free_in: column.integer().nullable() },
})

export interface RecipientKey {
  tenantId: string
  recipientIndex: string
  mode: KeyMode
}

/**
 * Locks the recipient and counts the recent codes; the transaction must then write its message.
 * @returns seconds until another code may be sent; 0 when it may be sent now
 */
export async function waitOfRecipient(run: Run, { tenantId, recipientIndex, mode }: RecipientKey): Promise<number> {
  const values = [tenantId, recipientIndex, mode]
  await run(takeTurn, values)
  const [row] = await run(countSends, values)
  return row && row.sends >= mostSends ? Math.max(1, row.free_in ?? 1) : 0
}
