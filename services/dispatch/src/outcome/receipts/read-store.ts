import type { Receipt } from '@notify/contracts'
import { defineStatement, type Queries } from '@notify/database'

/** Locks notifications first, in the order of `apply-receipts`: otherwise the two could wait for each other. */
const record = defineStatement({
  name: 'record-reads',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, attempt_id text, provider_id text, read_at timestamptz)
    ), own as (
      select input.* from notifications n join input using (id)
      join providers p on p.id = input.provider_id and p.tenant_id = n.tenant_id
      order by n.id for update of n
    )
    update attempts a set read_at = least(a.read_at, own.read_at) from own
    where a.notification_id = own.id and a.id = own.attempt_id and (a.read_at is null or a.read_at > own.read_at)`,
})

/** Records when recipients read messages, the earliest report of each. A read changes no state by itself. */
export async function recordReads(db: Queries, receipts: readonly Receipt[]): Promise<void> {
  const reads = receipts.filter(({ status }) => status === 'read')
  if (reads.length === 0) return
  const rows = reads.map(({ notification_id, attempt_id, provider_id, received_at }) => ({
    ...{ id: notification_id, attempt_id, provider_id, read_at: received_at },
  }))
  await db.run(record, [JSON.stringify(rows)])
}
