import { column, defineStatement } from '@notify/database'
import { copiesTag } from '../../catalogue/suppressions/copy-marks.ts'
import { suppressedBecause } from '../../catalogue/suppressions/suppressed-because.ts'
import type { ChannelDefinition, Payload } from '../../channels/channel.ts'
import type { Context } from '../../context.ts'
import type { Claim } from '../claim/claim-store.ts'

/** Records which recipients of copies were suppressed after acceptance. */
const judge = defineStatement({
  name: 'judge-copies',
  text: `
    with found as (
      select recipient_index, suppressed as known, coalesce(suppressed, ${suppressedBecause('one')}) as reason
      from (select c.*, n.tenant_id, n.channel, n.mode from copies c join notifications n on n.id = c.notification_id
        where c.notification_id = $1) as one
    ), noted as (
      update copies c set suppressed = found.reason from found
      where c.notification_id = $1 and c.recipient_index = found.recipient_index
        and found.known is null and found.reason is not null
    )
    select recipient_index from found where reason is not null`,
  columns: { recipient_index: column.text() },
})

/** The payload without copies to suppressed recipients, and the fields that the carrier needs if any copy is left. */
export async function leaveOutCopies(
  { db, secrets }: Pick<Context, 'db' | 'secrets'>,
  { copies }: Pick<ChannelDefinition, 'copies'>,
  { id, tenant_id }: Pick<Claim, 'id' | 'tenant_id'>,
  payload: Payload,
): Promise<{ payload: Payload; recipientTag?: string }> {
  if (!copies || copies.of(payload).length === 0) return { payload }
  const left = new Set((await db.run(judge, [id])).map(({ recipient_index }) => recipient_index))
  const kept = copies.without(payload, (to) => left.has(secrets.blindIndex(tenant_id, to)))
  if (copies.of(kept).length === 0) return { payload: kept }
  return {
    payload: kept,
    recipientTag: copiesTag(secrets.fingerprint, { id, tenantId: tenant_id }, copies.ownOf(kept)),
  }
}
