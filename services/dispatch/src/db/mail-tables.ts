import type { LayoutTranslations, SuppressionReason } from '@notify/contracts'
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
    /** Why the carrier refused it when it took the message. */
    refused: column.text().nullable(),
  },
  /** What stands around the texts of emails. */
  layouts: {
    id: column.id('lay'),
    tenant_id: column.id('ten'),
    /** The application that may use it; null: all of the tenant. */
    application_id: column.id('app').nullable(),
    name: column.text(),
    html_body: column.text(),
    body: column.text().nullable(),
    translations: column.jsonb<LayoutTranslations>().nullable(),
    version: column.integer().withDefault(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
  },
  /** What a layout was, and is. */
  layout_versions: {
    tenant_id: column.id('ten'),
    layout_id: column.id('lay'),
    version: column.integer(),
    application_id: column.id('app').nullable(),
    name: column.text(),
    html_body: column.text(),
    body: column.text().nullable(),
    translations: column.jsonb<LayoutTranslations>().nullable(),
    saved_by: column.text(),
    saved_at: column.timestamp(),
  },
}
