import type { WhatsAppTemplateContent } from '@notify/contracts'
import { column } from '@notify/database'

export const carrierTemplateTables = {
  /** The templates of accounts, as their carriers report them. */
  carrier_templates: {
    provider_id: column.id('prov'),
    tenant_id: column.id('ten'),
    name: column.text(),
    language: column.text(),
    status: column.text(),
    category: column.text(),
    quality: column.text().nullable(),
    /** Null where the carrier's answer could not be read. */
    content: column.jsonb<WhatsAppTemplateContent>().nullable(),
    /** When the carrier was asked or reported the change; an older report never replaces it. */
    reported_at: column.timestamp(),
  },
  /** When the templates of an account are read again. */
  carrier_template_syncs: {
    provider_id: column.id('prov'),
    tenant_id: column.id('ten'),
    /** Revision of the credentials for which a reading was planned. */
    revision: column.integer(),
    next_sync_at: column.timestamp().nullable(),
    synced_at: column.timestamp().nullable(),
    failures: column.smallint().withDefault(),
    error: column.text().nullable(),
  },
}
