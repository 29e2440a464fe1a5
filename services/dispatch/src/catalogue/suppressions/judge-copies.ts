import type { Channel, Id, KeyMode, NotificationAccepted, SuppressionReason } from '@notify/contracts'
import type { Copy } from '../../channels/channel.ts'
import type { Context } from '../../context.ts'
import { copyMark } from './copy-marks.ts'
import { findSuppressed } from './find-suppressed.ts'

/** Another recipient of a notification, as it is stored. */
export interface CopyRow {
  field: 'cc' | 'bcc'
  recipient_index: string
  recipient_masked: string
  mark: string
  /** Set where nothing is sent to it. */
  suppressed: SuppressionReason | null
}

/** The notification that is copied. */
interface Copied {
  id: Id<'notif'>
  tenantId: Id<'ten'>
  channel: Channel
  mode: KeyMode
}

/** Finds which copies are suppressed already; the others are judged again before the message is sent. */
export async function judgeCopies(
  { db, secrets }: Pick<Context, 'db' | 'secrets'>,
  { id, tenantId, channel, mode }: Copied,
  copies: readonly Copy[],
): Promise<CopyRow[]> {
  const rows = copies.map(({ field, to, masked }) => ({
    field,
    recipient_index: secrets.blindIndex(tenantId, to),
    recipient_masked: masked,
    mark: copyMark(secrets.fingerprint, { id, tenantId }, to),
  }))
  const indexes = rows.map(({ recipient_index }) => recipient_index)
  const suppressed = await findSuppressed(db, { tenantId, channel, mode, indexes })
  return rows.map((row) => ({ ...row, suppressed: suppressed.get(row.recipient_index) ?? null }))
}

/** What the answer says of the copies that nobody receives. */
export function leftOut(copies: readonly CopyRow[]): Pick<NotificationAccepted, 'left_out'> {
  const left = copies.flatMap(({ field, recipient_masked, suppressed }) =>
    suppressed ? [{ field, recipient_masked, suppressed }] : [],
  )
  return left.length > 0 ? { left_out: left } : {}
}
