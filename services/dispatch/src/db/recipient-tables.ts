import type { KeyMode } from '@notify/contracts'
import { column } from '@notify/database'

/** Users of applications. */
export const recipientTables = {
  recipients: {
    /** See `recipientId`. */
    id: column.text(),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    mode: column.text<KeyMode>(),
    /** Blind indexes. */
    user_index: column.text(),
    email_index: column.text().nullable(),
    phone_index: column.text().nullable(),
    /** See `RecipientContent`; encrypted. */
    content: column.bytes(),
    has_quiet_hours: column.boolean(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
  },
}
