import type { SuppressionReason } from '@notify/contracts'
import { column } from '@notify/database'

/** What only some emails have. */
export const mailTables = {
  /** The files of a notification, encrypted as one value. */
  attachments: {
    id: column.id('notif'),
    tenant_id: column.id('ten'),
    content: column.bytes(),
  },
  /** The other recipients of emails. */
  copies: {
    notification_id: column.id('notif'),
    recipient_index: column.text(),
    position: column.smallint(),
    field: column.text<'cc' | 'bcc'>(),
    recipient_masked: column.text(),
    /** By which receipts name it. */
    mark: column.text(),
    /** Why it was left out. */
    suppressed: column.text<SuppressionReason>().nullable(),
  },
}
