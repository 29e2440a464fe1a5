import type { DeliveryStatus, Id } from '@notify/contracts'
import { column, defineStatement, type Run } from '@notify/database'
import { factsInto } from '../../outcome/facts/fact-sql.ts'
import { waits } from './due-store.ts'

/** The reason of an item that was sent as part of its digest. */
export const digestedReason = 'digested'

/** How a digest ends its items. */
export interface EndedDigest {
  digest_id: Id<'dig'>
  status: Extract<DeliveryStatus, 'cancelled' | 'failed'>
  reason: string
}

// The ids are a parameter, too: with those of `digest` alone, a plan may read the items of all digests.
const end = defineStatement({
  name: 'end-digests',
  text: `
    with digest as (
      select * from json_to_recordset($1::json) as t (digest_id text, status text, reason text)
    ), ended as (
      update notifications n set status = digest.status, failure_reason = digest.reason, retryable = false,
        revision = n.revision + 1, updated_at = now()
      from digest where n.digest_id = digest.digest_id and n.digest_id = any ($2) and ${waits('n')}
      returning n.*
    ), facts as (${factsInto('ended')}), gone as (
      delete from digests where id = any ($2)
    )
    select count(*)::int as items from ended`,
  columns: { items: column.integer() },
})

/** Ends the items of locked digests, and forgets these. @returns how many items */
export async function endDigests(run: Run, ended: readonly EndedDigest[]): Promise<number> {
  const ids = ended.map(({ digest_id }) => digest_id)
  return (await run(end, [JSON.stringify(ended), ids]))[0]!.items
}
